// SPDX-License-Identifier: BSD-3-Clause
// Sends that have not ended: what is remembered of them, and what their users are told.
#pragma once

#include <cstdint>

#include "base/pool.hpp"
#include "net/operations/operations.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class Sends {
 public:
  Sends(const Settings& settings, Statistics& statistics)
      : budget_(settings.inject_budget), statistics_(statistics) {}

  /// Whether that much more may be injected.
  bool may_inject(std::uint64_t bytes) const;
  /// Remembers a send; copies what is injected, and what `copy` says.
  Send& remember(const SendRequest& request, bool copy);
  /// Tells the user, once, and forgets the send.
  void finish(Send& send, Status status);
  /// Tells the user, and keeps the copy.
  void tell(Send& send, Status status);
  /// Tells the user of a send that was never remembered.
  static void tell(const SendRequest& request, std::uint64_t length);
  /// Completions will not go to this sink any more.
  void forget(CompletionSink* sink);

  std::size_t live() const { return sends_.live(); }
  /// How many have ended so.
  std::uint64_t unreachable() const { return unreachable_; }

 private:
  const std::uint64_t budget_;
  Statistics& statistics_;
  Pool<Send> sends_;
  std::uint64_t injected_bytes_ = 0;  // by sends whose memory the user has back
  std::uint64_t unreachable_ = 0;
};

}  // namespace suiro::net
