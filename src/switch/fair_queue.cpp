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
  queue.deficit_bytes = quantum_bytes;
  fresh_.push(static_cast<int>(place));
}

Frame* FairQueue::pop() {
  while (!fresh_.empty() || !waiting_.empty()) {
    if (Frame* frame = serve(fresh_.empty() ? waiting_ : fresh_)) return frame;
  }
  return nullptr;
}

/// Gives the first flow of a list its turn; null if it had used up its turn or has nothing.
Frame* FairQueue::serve(RingQueue<int>& list) {
  const int place = list.front();
  Flow& flow = flows_[static_cast<std::size_t>(place)];
  if (flow.deficit_bytes <= 0) {
    flow.deficit_bytes += quantum_bytes;
    flow.place = Place::waiting;
    list.pop();
    waiting_.push(place);
    return nullptr;
  }
  if (flow.frames.empty()) {
    // A fresh flow keeps a place at the end, or it could stay ahead of all others by pausing.
    flow.place = flow.place == Place::fresh ? Place::waiting : Place::idle;
    list.pop();
    if (flow.place == Place::waiting) waiting_.push(place);
    return nullptr;
  }
  Frame* frame = flow.frames.front();
  flow.frames.pop();
  flow.deficit_bytes -= frame->shape.bytes;
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
