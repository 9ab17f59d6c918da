// SPDX-License-Identifier: BSD-3-Clause
#include "switch/stream_pacer.hpp"

#include <algorithm>

namespace suiro {

void StreamPacer::push(const Held& held, Time now) {
  const auto [flow, fresh] = flows_.try_emplace(held.flow);
  flow->second.push({held.frame, now});
  bytes_ += static_cast<std::size_t>(held.frame->shape.bytes);
  if (fresh) turns_.emplace(now, held.flow);
}

std::optional<StreamPacer::Held> StreamPacer::pop(Time now) {
  while (next() <= now) {
    const auto [turn, number] = turns_.top();
    turns_.pop();
    const auto flow = flows_.find(number);
    if (flow->second.empty()) {
      flows_.erase(flow);
      continue;
    }
    const Arrival first = flow->second.front();
    flow->second.pop();
    bytes_ -= static_cast<std::size_t>(first.frame->shape.bytes);
    // One who looks late takes no time from a flow that had something waiting.
    turns_.emplace(std::max(turn, first.at) + duration(first.frame->shape), number);
    return Held{first.frame, number};
  }
  return std::nullopt;
}

Time StreamPacer::duration(const FrameShape& shape) const {
  Time bits = 0;
  for (int i = 0; i < shape.segments; ++i) bits += Time{8} * wire_bytes(shape.segment_bytes(i));
  return (bits * second + rate_bps_ - 1) / rate_bps_;
}

}  // namespace suiro
