// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/silence.hpp"

#include <algorithm>

namespace suiro::net {
namespace {

constexpr int doublings_max = 4;
/// So many limits without a long silence, and they are halved again.
constexpr int calm = 4;

}  // namespace

/// One silence is the rail's. If it happens again, it is the network, or a peer that is too busy to
/// answer.
int Silence::doublings() const { return std::clamp(silences_ - 1, 0, doublings_max); }

std::int64_t Silence::stall_limit_ns() const {
  const std::int64_t first = settings_.stall_timeout_ns;
  return std::min(first << doublings(), std::max(first, settings_.peer_timeout_ns / 2));
}

/// With a choice of rails none is waited for very long at first.
std::int64_t Silence::opening_limit_ns() const {
  const std::int64_t limit = settings_.handshake_timeout_ns;
  const std::int64_t first = has_choice_ ? std::min(limit, 2 * settings_.stall_timeout_ns) : limit;
  return std::min(first << doublings(), std::max(first, settings_.peer_timeout_ns));
}

void Silence::left_a_rail(std::int64_t now_ns) {
  silences_ = std::min(silences_ + 1, doublings_max + 1);
  last_ns_ = now_ns;
}

void Silence::note(std::int64_t silent_ns, bool probed, std::int64_t now_ns) {
  if (silences_ == 0) return;
  const std::int64_t limit_ns = stall_limit_ns();
  const bool needed = probed && silent_ns > limit_ns / 2 + limit_ns / 4;  // a quarter unanswered
  if (!needed && now_ns - last_ns_ <= calm * limit_ns) return;
  if (!needed) --silences_;
  last_ns_ = now_ns;
}

}  // namespace suiro::net
