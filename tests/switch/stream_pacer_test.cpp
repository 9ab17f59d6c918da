// SPDX-License-Identifier: BSD-3-Clause
#include "switch/stream_pacer.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace suiro {
namespace {

constexpr std::int64_t rate_bps = 8'000'000;  // a byte in a microsecond
constexpr Time microsecond = 1000;

/// Frames of 976 bytes take a millisecond on the wire.
constexpr int frame_bytes = 1000 - wire_overhead_bytes;
constexpr Time millisecond = 1000 * microsecond;

struct Host {
  StreamPacer pacer{rate_bps};
  std::deque<Frame> frames;

  void push(std::uint32_t flow, Time now, int segments = 1) {
    Frame frame;
    frame.shape.bytes = frame_bytes * segments;
    frame.shape.segments = segments;
    frame.shape.segment_payload_bytes = frame_bytes;
    frame.target = static_cast<int>(frames.size());
    frames.push_back(frame);
    pacer.push({&frames.back(), flow}, now);
  }

  /// The number of the frame that may go on; -1 if none may.
  int pop(Time now) {
    const auto held = pacer.pop(now);
    return held ? held->frame->target : -1;
  }
};

TEST(StreamPacer, GivesEachFrameOfAFlowItsTime) {
  Host host;
  for (int i = 0; i < 3; ++i) host.push(1, 0);
  EXPECT_EQ(host.pacer.bytes(), 3U * frame_bytes);
  EXPECT_EQ(host.pop(0), 0);
  EXPECT_EQ(host.pop(0), -1);
  EXPECT_EQ(host.pacer.next(), millisecond);
  EXPECT_EQ(host.pop(millisecond - 1), -1);
  EXPECT_EQ(host.pop(millisecond), 1);
  EXPECT_EQ(host.pop(2 * millisecond), 2);
  EXPECT_EQ(host.pacer.bytes(), 0U);
}

TEST(StreamPacer, LetsOtherFlowsPass) {
  Host host;
  host.push(1, 0);
  host.push(1, 0);
  host.push(2, 0);
  EXPECT_EQ(host.pop(0), 0);
  EXPECT_EQ(host.pop(0), 2);
  EXPECT_EQ(host.pop(0), -1);
}

TEST(StreamPacer, ChargesEveryFrameThatASuperFrameStandsFor) {
  Host host;
  host.push(1, 0, 5);
  host.push(1, 0);
  EXPECT_EQ(host.pop(0), 0);
  EXPECT_EQ(host.pacer.next(), 5 * millisecond);
}

/// Who looks late takes nothing from what waited; who was idle has nothing saved.
TEST(StreamPacer, KeepsTheRateNoMatterWhenAnyoneLooks) {
  Host host;
  for (int i = 0; i < 3; ++i) host.push(1, 0);
  EXPECT_EQ(host.pop(0), 0);
  EXPECT_EQ(host.pop(10 * millisecond), 1);
  EXPECT_EQ(host.pop(10 * millisecond), 2);
  EXPECT_EQ(host.pop(20 * millisecond), -1);
  EXPECT_EQ(host.pacer.next(), never);  // and the flow is forgotten
  host.push(1, 20 * millisecond);
  host.push(1, 20 * millisecond);
  EXPECT_EQ(host.pop(20 * millisecond), 3);
  EXPECT_EQ(host.pop(20 * millisecond), -1);
  host.push(1, 25 * millisecond);
  EXPECT_EQ(host.pop(25 * millisecond), 4);  // which might have gone at 21
  EXPECT_EQ(host.pop(25 * millisecond), 5);
  EXPECT_EQ(host.pacer.next(), 26 * millisecond);
}

}  // namespace
}  // namespace suiro
