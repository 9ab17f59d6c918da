// SPDX-License-Identifier: BSD-3-Clause
#include "switch/fair_queue.hpp"

namespace suiro {

void FairQueue::push(Frame* frame, std::uint32_t flow) {
  const std::size_t place = flow % flows_max;
  Flow& queue = flows_[place];
  queue.frames.push(frame);
  bytes_ += static_cast<std::size_t>(frame->shape.bytes);
  if (queue.place != Place::idle) return;
  queue.place = Place::fresh;
  queue.credit_bytes = quantum_bytes;
  fresh_.push(static_cast<int>(place));
}

Frame* FairQueue::pop() {
  while (!fresh_.empty()) {
    if (Frame* frame = serve_fresh()) return frame;
  }
  while (!waiting_.empty()) {
    if (Frame* frame = serve_waiting()) return frame;
  }
  return nullptr;
}

/// A fresh flow without credit, or with nothing more to send, waits its turn from now on: it could
/// otherwise stay ahead of all others by pausing.
Frame* FairQueue::serve_fresh() {
  const int place = fresh_.front();
  Flow& flow = flows_[static_cast<std::size_t>(place)];
  if (flow.credit_bytes > 0 && !flow.frames.empty()) {
    Frame* frame = take(flow);
    flow.credit_bytes -= frame->shape.bytes;
    return frame;
  }
  fresh_.pop();
  flow.place = Place::waiting;
  waiting_.push_back(place);
  return nullptr;
}

Frame* FairQueue::serve_waiting() {
  int& drawn = waiting_[random_() % waiting_.size()];
  Flow& flow = flows_[static_cast<std::size_t>(drawn)];
  if (!flow.frames.empty()) return take(flow);
  flow.place = Place::idle;
  drawn = waiting_.back();
  waiting_.pop_back();
  return nullptr;
}

Frame* FairQueue::take(Flow& flow) {
  Frame* frame = flow.frames.front();
  flow.frames.pop();
  bytes_ -= static_cast<std::size_t>(frame->shape.bytes);
  return frame;
}

std::uint32_t flow_of(std::span<const std::byte> frame) {
  constexpr std::size_t type_offset = 12;
  constexpr std::size_t addresses_offset = 26;  // of IPv4 without options; the ports follow
  constexpr std::size_t end_of_ports = 38;
  constexpr std::byte ipv4_without_options{0x45};
  if (frame.size() < end_of_ports || frame[type_offset] != std::byte{0x08} ||
      frame[type_offset + 1] != std::byte{0x00} || frame[14] != ipv4_without_options)
    return 0;
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (std::size_t i = addresses_offset; i < end_of_ports; ++i)
    hash = (hash ^ std::to_integer<std::uint32_t>(frame[i])) * 16777619;
  return hash ^ hash >> 16;
}

}  // namespace suiro
