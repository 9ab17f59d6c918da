// SPDX-License-Identifier: BSD-3-Clause
#include "switch/wan.hpp"

#include <algorithm>

namespace suiro {

/// The buffer needs no queue of its own: what is in it is what the line has not sent yet.
bool Wan::send(Time now, const Segment& segment) {
  const int bytes = wire_bytes(segment.bytes());
  const Time start = std::max(now, line_busy_until_);
  if (start - now + transmission_time(bytes) > transmission_time(config_.buffer_bytes)) {
    count_drop(segment);
    return false;
  }
  line_busy_until_ = start + transmission_time(bytes);
  counters_.sent_bytes += bytes;
  ++counters_.sent_frames;
  on_the_way_.push({line_busy_until_ + config_.delay, {segment, loses()}});
  return true;
}

Wan::Arrival Wan::receive() {
  const Arrival arrival = on_the_way_.front().arrival;
  on_the_way_.pop();
  if (arrival.lost) ++lost_;
  return arrival;
}

void Wan::reset_counters() {
  counters_ = {};
  lost_ = 0;
}

void Wan::count_drop(const Segment& segment) {
  ++counters_.drops;
  counters_.drop_bytes += wire_bytes(segment.bytes());
}

Time Wan::transmission_time(std::int64_t bytes) const {
  return (bytes * 8 * second + config_.rate_bps - 1) / config_.rate_bps;
}

bool Wan::loses() {
  constexpr double range = std::minstd_rand::max() - std::minstd_rand::min() + 1.0;
  return (random_() - std::minstd_rand::min()) / range < config_.loss;
}

}  // namespace suiro
