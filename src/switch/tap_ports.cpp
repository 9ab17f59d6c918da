// SPDX-License-Identifier: BSD-3-Clause
#include "switch/tap_ports.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "switch/slice.hpp"

namespace suiro {
namespace {

constexpr std::size_t offload_bytes = sizeof(OffloadHeader);

OffloadHeader offload_header(const Frame& frame) {
  OffloadHeader header;
  std::memcpy(&header, frame.storage.data(), offload_bytes);
  return header;
}

std::span<const std::byte> frame_bytes(const Frame& frame) {
  return frame.storage.subspan(offload_bytes, static_cast<std::size_t>(frame.shape.bytes));
}

bool write_whole(int device, const Frame& frame) {
  const std::size_t length = offload_bytes + static_cast<std::size_t>(frame.shape.bytes);
  return write(device, frame.storage.data(), length) == static_cast<ssize_t>(length);
}

bool write_slice(int device, const Slice& part) {
  // writev() does not change what the parts point at; its type just does not say so.
  std::array<iovec, 3> parts{{{const_cast<OffloadHeader*>(&part.offload), offload_bytes},
                              {const_cast<std::byte*>(part.headers.data()), part.headers_bytes},
                              {const_cast<std::byte*>(part.payload.data()), part.payload.size()}}};
  const std::size_t length = offload_bytes + part.headers_bytes + part.payload.size();
  return writev(device, parts.data(), parts.size()) == static_cast<ssize_t>(length);
}

}  // namespace

TapPorts::TapPorts(const std::vector<PortConfig>& ports, int mtu_bytes) {
  for (const PortConfig& port : ports) {
    const auto seed = static_cast<std::uint32_t>(taps_.size() + 1);
    port_of_address_.emplace(port.address, static_cast<int>(taps_.size()));
    taps_.push_back({open_tap(port.tap),
                     RateWindow(port.rate_bps, mtu_bytes),
                     StreamPacer(port.stream_bps),
                     FairQueue(seed),
                     std::vector<Run>(ports.size()),
                     0,
                     {}});
  }
}

Run TapPorts::pull(int port) {
  Tap& tap = taps_[static_cast<std::size_t>(port)];
  collect(tap, port);
  if (tap.held.holds_back()) release(tap);
  Frame* frame = tap.waiting.pop();
  return {frame, 0, frame == nullptr ? 0 : frame->shape.segments};
}

/// Takes what the host has sent, so that its flows can take turns. A host may send any number of
/// frames; looking at some in one go keeps it from stopping the others.
void TapPorts::collect(Tap& tap, int port) {
  constexpr int frames_max = 64;
  const auto full = [&] { return tap.waiting.full() || tap.held.bytes() >= FairQueue::bytes_max; };
  for (int i = 0; i < frames_max && !full() && read_frame(tap); ++i) {
    Frame* frame = accept_frame(tap, port);
    if (frame == nullptr) continue;
    const std::uint32_t flow = flow_of(frame_bytes(*frame));
    if (tap.held.holds_back()) {
      tap.held.push({frame, flow}, now_);
    } else {
      tap.waiting.push(frame, flow);
    }
  }
}

void TapPorts::release(Tap& tap) {
  while (const auto due = tap.held.pop(now_)) tap.waiting.push(due->frame, due->flow);
}

bool TapPorts::read_frame(Tap& tap) {
  if (!tap.device.open()) return false;
  if (reading_ == nullptr) reading_ = pool_.take_large();
  const ssize_t length =
      read(tap.device.number(), reading_->storage.data(), reading_->storage.size());
  if (length < 0) return false;
  read_bytes_ = static_cast<std::size_t>(length);
  return true;
}

/// Makes what was read a frame of the switch; null if it goes nowhere.
Frame* TapPorts::accept_frame(Tap& tap, int port) {
  if (read_bytes_ < offload_bytes) return ++tap.counters.malformed, nullptr;
  const auto bytes = reading_->storage.subspan(offload_bytes, read_bytes_ - offload_bytes);
  const auto shape = parse_frame(bytes, offload_header(*reading_));
  if (!shape) return ++tap.counters.malformed, nullptr;
  const auto target = port_of_address_.find(shape->target_address);
  if (target == port_of_address_.end()) return ++tap.counters.unroutable, nullptr;
  Frame* frame = reading_;
  if (read_bytes_ <= FramePool::small_bytes) {
    frame = pool_.take_small();
    std::memcpy(frame->storage.data(), reading_->storage.data(), read_bytes_);
  } else {
    reading_ = nullptr;
  }
  frame->shape = *shape;
  frame->source = port;
  frame->target = target->second;
  frame->unresolved = shape->segments;
  return frame;
}

void TapPorts::deliver(int port, const Segment& segment) {
  Tap& tap = taps_[static_cast<std::size_t>(port)];
  Run& run = tap.runs[static_cast<std::size_t>(segment.source)];
  tap.flushing_bytes += wire_bytes(segment.bytes());
  if (run.frame != segment.frame || run.first + run.count != segment.index) {
    write_run(tap, run);
    run = {segment.frame, segment.index, 0};
  }
  ++run.count;
  const bool rest_is_gone = run.count == segment.frame->unresolved;
  if (rest_is_gone) write_run(tap, run);
}

/// A gap ends a run: what came before it goes out now, since what follows may never come.
void TapPorts::discard(const Segment& segment) {
  Tap& tap = taps_[static_cast<std::size_t>(segment.frame->target)];
  Run& run = tap.runs[static_cast<std::size_t>(segment.source)];
  if (run.frame == segment.frame) write_run(tap, run);
  resolve(segment.frame, 1);
}

void TapPorts::flush(Time now) {
  for (Tap& tap : taps_) {
    if (tap.flushing_bytes == 0) continue;
    tap.window.add(now, tap.flushing_bytes);
    tap.flushing_bytes = 0;
  }
}

void TapPorts::write_run(Tap& tap, Run& pending) {
  const Run run = std::exchange(pending, {});
  if (run.frame == nullptr) return;
  const Frame& frame = *run.frame;
  const bool written =
      run.count == frame.shape.segments
          ? write_whole(tap.device.number(), frame)
          : write_slice(tap.device.number(), slice(frame_bytes(frame), frame.shape,
                                                   offload_header(frame), run.first, run.count));
  if (!written) tap.counters.undelivered += run.count;
  resolve(run.frame, run.count);
}

void TapPorts::resolve(Frame* frame, int segments) {
  frame->unresolved -= segments;
  if (frame->unresolved == 0) pool_.give_back(frame);
}

void TapPorts::reset_counters() {
  for (Tap& tap : taps_) {
    tap.counters = {};
    tap.window.reset();
  }
}

}  // namespace suiro
