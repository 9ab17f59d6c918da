// SPDX-License-Identifier: BSD-3-Clause
// Hosts without devices: what they send is made on demand, what reaches them is counted and
// checked.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "switch/fabric.hpp"
#include "switch/rate_window.hpp"

namespace suiro {

inline constexpr int full_frame_bytes = 1514;

class SimulatedHosts final : public Hosts {
 public:
  SimulatedHosts(int ports, std::int64_t rate_bps) : sources(static_cast<std::size_t>(ports)) {
    for (int i = 0; i < ports; ++i)
      config.push_back({.name = "host", .tap = "tap", .rate_bps = rate_bps});
    windows_.resize(sources.size(), RateWindow(rate_bps, 1500));
  }

  /// A frame of this many full MTU frames; it lives as long as it is in the switch.
  Frame* make(int target, int segments = 1, int bytes = full_frame_bytes) {
    if (free_.empty()) {
      owned_.push_back(std::make_unique<Frame>());
      free_.push_back(owned_.back().get());
    }
    Frame* frame = free_.back();
    free_.pop_back();
    *frame = Frame{};
    frame->target = target;
    frame->unresolved = segments;
    frame->shape.bytes = bytes;
    frame->shape.segments = segments;
    if (segments > 1) {
      frame->shape.header_bytes = 66;
      frame->shape.segment_payload_bytes = full_frame_bytes - 66;
      frame->shape.bytes = 66 + segments * (full_frame_bytes - 66);
    }
    return frame;
  }

  Run pull(int port) override {
    auto& source = sources[static_cast<std::size_t>(port)];
    Frame* frame = source ? source() : nullptr;
    if (frame == nullptr) return {};
    frame->source = port;
    frame->shape.target_address = ++serial_;  // the network does not look at it
    accepted += frame->shape.segments;
    return {frame, 0, frame->shape.segments};
  }

  void deliver(int port, const Segment& segment) override {
    ++delivered;
    EXPECT_EQ(port, segment.frame->target);
    expect_order(segment);
    windows_[static_cast<std::size_t>(port)].add(network->next_event(),
                                                 wire_bytes(segment.bytes()));
    resolve(segment);
  }

  void discard(const Segment& segment) override {
    ++discarded;
    resolve(segment);
  }

  std::int64_t window_violations() const {
    std::int64_t sum = 0;
    for (const RateWindow& window : windows_) sum += window.violations();
    return sum;
  }

  std::vector<PortConfig> config;
  std::vector<std::function<Frame*()>> sources;
  Network* network = nullptr;
  std::int64_t accepted = 0;
  std::int64_t delivered = 0;
  std::int64_t discarded = 0;

 private:
  /// MTU frames of one source to one target come out in the order in which they went in, none
  /// twice.
  void expect_order(const Segment& segment) {
    const std::pair place{segment.frame->shape.target_address, segment.index};
    auto& last = last_[{segment.source, segment.frame->target}];
    ASSERT_LT(last, place);
    last = place;
  }

  void resolve(const Segment& segment) {
    if (--segment.frame->unresolved == 0) free_.push_back(segment.frame);
  }

  std::vector<RateWindow> windows_;
  std::vector<std::unique_ptr<Frame>> owned_;
  std::vector<Frame*> free_;
  std::uint64_t serial_ = 0;
  std::map<std::pair<int, int>, std::pair<std::uint64_t, int>> last_{};
};

}  // namespace suiro
