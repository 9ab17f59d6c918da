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
  queue.target = frame->target;
  fresh_.push(static_cast<int>(place));
}

Frame* FairQueue::pop() {
  while (!fresh_.empty()) {
    if (Frame* frame = serve(fresh_)) return frame;
  }
  while (waiting_flows_ > 0) {
    RingQueue<int>& list = draw();
    while (!list.empty()) {
      if (Frame* frame = serve(list)) return frame;
    }
  }
  return nullptr;
}

/// A target's list, by a lot for each of its flows.
RingQueue<int>& FairQueue::draw() {
  std::size_t lot = random_() % waiting_flows_;
  std::size_t target = 0;
  while (lot >= waiting_[target].size()) lot -= waiting_[target++].size();
  return waiting_[target];
}

/// Gives the first flow of a list its turn; null if it had used up its turn or has nothing.
Frame* FairQueue::serve(RingQueue<int>& list) {
  const int place = list.front();
  Flow& flow = flows_[static_cast<std::size_t>(place)];
  if (flow.deficit_bytes > 0 && !flow.frames.empty()) {
    Frame* frame = flow.frames.front();
    flow.frames.pop();
    flow.deficit_bytes -= frame->shape.bytes;
    bytes_ -= static_cast<std::size_t>(frame->shape.bytes);
    return frame;
  }
  list.pop();
  if (flow.place == Place::waiting) --waiting_flows_;
  if (flow.deficit_bytes <= 0) flow.deficit_bytes += quantum_bytes;
  // A fresh flow keeps a place at the end, or it could stay ahead of all others by pausing.
  if (flow.place == Place::fresh || !flow.frames.empty()) {
    wait(place);
  } else {
    flow.place = Place::idle;
  }
  return nullptr;
}

void FairQueue::wait(int place) {
  Flow& flow = flows_[static_cast<std::size_t>(place)];
  const auto target = static_cast<std::size_t>(flow.target);
  if (waiting_.size() <= target) waiting_.resize(target + 1);
  flow.place = Place::waiting;
  waiting_[target].push(place);
  ++waiting_flows_;
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
