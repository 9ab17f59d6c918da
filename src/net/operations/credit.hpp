// SPDX-License-Identifier: BSD-3-Clause
// How the memory for messages that nobody has asked for yet is shared out among the peers. A
// quarter is for the least that everybody has, however many there are; a quarter lets the first
// send any message at once; half is for those who turn out to send. A share of that half grows to a
// quarter of what it and nobody has, so there is always something left, and those who send have
// equal parts in the end: who has more gives it back, message by message, when others come (dynamic
// thresholds: Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet
// Switches", IEEE/ACM Transactions on Networking 6(2), 1998).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "net/protocol/settings.hpp"

namespace suiro::net {

class CreditPool {
 public:
  /// What a peer may use at a time.
  struct Share {
    std::uint64_t bytes = 0;
  };

  explicit CreditPool(const Settings& settings)
      : least_(settings.unexpected_budget >> 16),  // for 16,384 peers
        first_(2 * settings.eager_bytes),
        left_for_new_(settings.unexpected_budget / 4),
        left_(settings.unexpected_budget / 2) {}

  /// Of a new peer. What all of them get becomes less and less, and never nothing.
  Share begin() {
    const std::uint64_t more = std::min(first_, left_for_new_ / 32);
    left_for_new_ -= more;
    return {.bytes = least_ + more};
  }

  /// So many bytes of a share are free again. How many the peer may have in their place.
  std::uint64_t renew(Share& share, std::uint64_t bytes) {
    const std::uint64_t most = threshold(share);
    if (share.bytes <= most) return bytes + grow(share, bytes);
    const std::uint64_t back = std::min(bytes, share.bytes - most);
    share.bytes -= back;
    left_ += back;
    return bytes - back;
  }

  /// By how much a share that was too small has grown: at most by `most`.
  std::uint64_t grow(Share& share, std::uint64_t most) {
    const std::uint64_t aim = threshold(share);
    if (share.bytes >= aim) return 0;
    const std::uint64_t more = std::min({aim - share.bytes, most, left_});
    left_ -= more;
    share.bytes += more;
    return more;
  }

 private:
  std::uint64_t threshold(const Share& share) const {
    return std::clamp((left_ + share.bytes) / 4, least_, most_);
  }

  /// A header tells of credit modulo 2^32, and no more than half of that may be new.
  static constexpr std::uint64_t most_ = 1 << 30;

  std::uint64_t least_;
  std::uint64_t first_;
  std::uint64_t left_for_new_;
  std::uint64_t left_;  // nobody has it
};

}  // namespace suiro::net
