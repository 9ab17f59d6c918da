// SPDX-License-Identifier: BSD-3-Clause
// Messages that came before their receives: what lies there of them, in which memory, and who hears
// when that is free again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/pool.hpp"
#include "base/spare_memory.hpp"
#include "net/operations/matching.hpp"
#include "net/operations/operations.hpp"
#include "net/operations/sends.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class KeptMessages {
 public:
  KeptMessages(const Settings& settings, Statistics& statistics, Sends& sends)
      : statistics_(statistics),
        sends_(sends),
        spare_(std::min(settings.unexpected_budget / 16, spare_max)) {}

  /// Keeps a message, with room for this part of it, among those that can be matched. `origin` is
  /// null if this process sent it.
  Unexpected& keep(const Envelope& message, Unexpected::Kind kind, std::uint64_t payload_bytes,
                   Origin* origin);
  /// The first that matches; null: there is none.
  Unexpected* find(const Pattern& pattern);
  /// It cannot be matched any more.
  void take_out(Unexpected& message);
  /// It waits for whoever asks with this context.
  void claim(Unexpected& message, void* context);
  /// Null: there is none.
  Unexpected* take_claimed(void* context);

  /// Nobody wants it: its sender is told, once it is complete.
  void discard(Unexpected& message);
  /// The same of all that were not received, but for those that are here as a whole.
  void discard_all();
  /// Frees a message, and tells its sender that there is room again.
  void drop(Unexpected& message);
  /// Those of this sender of which more was to come.
  std::vector<Unexpected*> incomplete_of(const Origin& origin);

  /// That this process sent to itself.
  std::uint64_t bytes_to_self() const { return bytes_to_self_; }
  void count(Statistics& statistics) const;

 private:
  static constexpr std::uint64_t spare_max = 8 << 20;

  Statistics& statistics_;
  Sends& sends_;
  Pool<Unexpected> messages_;
  UnexpectedQueue queue_;
  std::unordered_multimap<void*, Unexpected*> claimed_;
  std::uint64_t bytes_ = 0;          // that are kept
  std::uint64_t bytes_to_self_ = 0;  // of these
  SpareMemory spare_;
};

}  // namespace suiro::net
