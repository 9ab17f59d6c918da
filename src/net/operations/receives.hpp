// SPDX-License-Identifier: BSD-3-Clause
// Receives: those that wait for a message, in the order in which they were posted, and those that
// are being filled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pool.hpp"
#include "net/operations/matching.hpp"
#include "net/operations/operations.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class Receives {
 public:
  explicit Receives(Statistics& statistics) : statistics_(statistics) {}

  /// Remembers a receive that waits for nothing yet.
  Receive& remember(const ReceiveRequest& request);
  /// From now on it waits for a message.
  void post(Receive& receive);
  /// The receive that takes this message, or the part of a multi-receive; null: there is none yet.
  Receive* match(const Envelope& message);
  /// Cuts the next piece of a multi-receive's buffer for one message.
  Receive& take_part(Receive& whole, const Envelope& message);
  /// Ends a matched receive; it was filled as far as its buffers go.
  void finish(Receive& receive, Status status);

  /// Ends the first receive of this context that waits. False: there is none.
  bool cancel(void* context);
  /// Ends those whose completions would go to this sink, and does not tell it.
  void forget(CompletionSink* sink);
  /// Nothing comes from this peer any more: ends those that wait for it alone.
  void lose(Peer peer);

  std::size_t posted() const { return posted_.size(); }
  /// How many have ended so.
  std::uint64_t unreachable() const { return unreachable_; }

 private:
  void withdraw(Receive& receive);

  Statistics& statistics_;
  Pool<Receive> receives_;
  PostedQueue posted_;
  std::uint64_t unreachable_ = 0;
};

}  // namespace suiro::net
