// SPDX-License-Identifier: BSD-3-Clause
// How the memory for messages that nobody has asked for yet is shared out among the peers. Who is
// new gets enough for a message that travels at once, and more when it turns out to send; who has
// more than its equal part gives it back, message by message, when others come. However many there
// are, nobody is left without.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "net/settings.hpp"

namespace suiro::net {

class CreditPool {
 public:
  explicit CreditPool(const Settings& settings)
      : least_(settings.unexpected_budget >> 15),
        first_(2 * settings.eager_bytes),
        left_(settings.unexpected_budget / 2),
        size_(left_) {}

  /// The share of one more peer. The least share does not come from the pool: half of the budget
  /// is put aside for them, which is enough for 16,384 peers.
  std::uint64_t begin() {
    ++peers_;
    return least_ + take(std::min({first_, left_ / 32, equal_share() - least_}));
  }

  /// So many bytes of a share are free again. How many the peer may have in their place.
  std::uint64_t renew(std::uint64_t& share, std::uint64_t bytes) {
    const std::uint64_t aim = equal_share();
    if (share <= aim) return bytes + grow(share, bytes);
    const std::uint64_t back = std::min(bytes, share - aim);
    share -= back;
    left_ += back;
    return bytes - back;
  }

  /// By how much a share that was too small has grown: at most by `most`.
  std::uint64_t grow(std::uint64_t& share, std::uint64_t most) {
    const std::uint64_t aim = equal_share();
    const std::uint64_t more = share < aim ? take(std::min({aim - share, most, left_})) : 0;
    share += more;
    return more;
  }

 private:
  static constexpr std::uint64_t largest_share = 1 << 20;

  std::uint64_t equal_share() const {
    return std::max(least_, std::min(largest_share, least_ + size_ / peers_));
  }
  std::uint64_t take(std::uint64_t bytes) {
    left_ -= bytes;
    return bytes;
  }

  std::uint64_t least_;
  std::uint64_t first_;
  std::uint64_t left_;
  std::uint64_t size_;
  std::size_t peers_ = 0;  // at least one when shares are asked for
};

}  // namespace suiro::net
