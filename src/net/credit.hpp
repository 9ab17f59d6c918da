// SPDX-License-Identifier: BSD-3-Clause
// How the memory for messages that nobody has asked for yet is shared out among the peers. A
// quarter is for the least that everybody has, however many there are; a quarter lets the first
// send any message at once; half is for those who turn out to send, in equal parts: who has more
// than that gives it back, message by message, when others come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "net/settings.hpp"

namespace suiro::net {

class CreditPool {
 public:
  /// The most that a peer gets, unless it sends longer messages.
  static constexpr std::uint64_t ordinary_share = 1 << 20;

  /// What a peer may use at a time.
  struct Share {
    std::uint64_t bytes = 0;
    bool active = false;  // it has been used
    std::uint64_t largest = ordinary_share;

    /// For messages of this cost, and short ones behind them.
    void make_room(std::uint64_t cost) {
      largest = std::max(largest, std::min(cost, largest_message) + (256 << 10));
    }
  };

  explicit CreditPool(const Settings& settings)
      : least_(settings.unexpected_budget >> 16),  // for 16,384 peers
        first_(2 * settings.eager_bytes),
        left_for_new_(settings.unexpected_budget / 4),
        size_(settings.unexpected_budget / 2),
        left_(size_) {}

  /// Of a new peer. What all of them get becomes less and less, and never nothing.
  Share begin() {
    const std::uint64_t more = std::min(first_, left_for_new_ / 32);
    left_for_new_ -= more;
    return {.bytes = least_ + more, .active = false};
  }

  /// So many bytes of a share are free again. How many the peer may have in their place.
  std::uint64_t renew(Share& share, std::uint64_t bytes) {
    const std::uint64_t aim = equal_share(share);
    if (share.bytes <= aim) return bytes + grow(share, bytes);
    const std::uint64_t back = std::min(bytes, share.bytes - aim);
    share.bytes -= back;
    left_ += back;
    return bytes - back;
  }

  /// By how much a share that was too small has grown: at most by `most`.
  std::uint64_t grow(Share& share, std::uint64_t most) {
    const std::uint64_t aim = equal_share(share);
    if (share.bytes >= aim) return 0;
    const std::uint64_t more = std::min({aim - share.bytes, most, left_for(share)});
    left_ -= more;
    share.bytes += more;
    return more;
  }

 private:
  /// What makes a share larger than is usual comes from one half, the other is for everybody.
  std::uint64_t left_for(const Share& share) const {
    const std::uint64_t half = size_ / 2;
    const std::uint64_t usual = ordinary_share - std::min(ordinary_share, share.bytes);
    return std::max(std::min(usual, left_), left_ > half ? left_ - half : 0);
  }

  static constexpr std::uint64_t largest_message = 5 << 20;

  std::uint64_t equal_share(Share& share) {
    if (!share.active) ++active_;
    share.active = true;
    return std::max(least_, std::min(share.largest, least_ + size_ / active_));
  }

  std::uint64_t least_;
  std::uint64_t first_;
  std::uint64_t left_for_new_;
  std::uint64_t size_;
  std::uint64_t left_;
  std::size_t active_ = 0;
};

}  // namespace suiro::net
