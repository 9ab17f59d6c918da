// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/patience.hpp"

#include <algorithm>
#include <utility>

namespace suiro::net {
namespace {

constexpr int polls_in_vain_max = 8;
constexpr std::int64_t shortest_nap_ns = 20'000;
constexpr std::int64_t longest_nap_ns = 250'000;
constexpr std::int64_t computes_from_ns = 10'000;  // between two polls

}  // namespace

std::int64_t Patience::pause_ns(std::int64_t now_ns) {
  if (now_ns - std::exchange(last_ns_, now_ns) > computes_from_ns) {
    in_vain_ = 0;
    pause_ns_ = shortest_nap_ns;
    return 0;
  }
  if (++in_vain_ < polls_in_vain_max) return 0;
  return std::exchange(pause_ns_, std::min(pause_ns_ * 2, longest_nap_ns));
}

}  // namespace suiro::net
