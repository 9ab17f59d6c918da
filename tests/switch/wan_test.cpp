// SPDX-License-Identifier: BSD-3-Clause
// A WAN alone: its rate, its delay, where its buffer ends, and how much it loses.
#include "switch/wan.hpp"

#include <gtest/gtest.h>

namespace suiro {
namespace {

constexpr std::int64_t rate_bps = 100'000'000;
constexpr Time delay = second / 100;
constexpr int frame_bytes = 1514;
constexpr Time frame_time = Time{8} * wire_bytes(frame_bytes) * second / rate_bps;

Frame full_frame() {
  Frame frame;
  frame.shape.bytes = frame_bytes;
  return frame;
}

TEST(Wan, AFrameTakesItsTimeAndTheDelay) {
  Frame frame = full_frame();
  Wan wan({rate_bps, delay, 1 << 20, 0}, 1);
  EXPECT_EQ(wan.next_arrival(), never);
  EXPECT_TRUE(wan.send(second, {&frame, 0, 0}));
  EXPECT_EQ(wan.next_arrival(), second + frame_time + delay);
  EXPECT_EQ(wan.receive().segment.frame, &frame);
  EXPECT_EQ(wan.next_arrival(), never);
}

TEST(Wan, FramesLeaveAtTheRate) {
  Frame frame = full_frame();
  Wan wan({rate_bps, delay, 1 << 20, 0}, 1);
  for (int i = 0; i < 100; ++i) wan.send(0, {&frame, i, 0});
  for (int i = 0; i < 100; ++i) {
    EXPECT_NEAR(static_cast<double>(wan.next_arrival()),
                static_cast<double>((i + 1) * frame_time + delay), 100.0);
    EXPECT_EQ(wan.receive().segment.index, i);
  }
}

TEST(Wan, DropsWhereTheBufferEnds) {
  constexpr int room = 10;
  Frame frame = full_frame();
  Wan wan({rate_bps, delay, std::int64_t{room} * wire_bytes(frame_bytes), 0}, 1);
  for (int i = 0; i < room; ++i) EXPECT_TRUE(wan.send(0, {&frame, i, 0}));
  EXPECT_FALSE(wan.send(0, {&frame, room, 0}));
  EXPECT_TRUE(wan.send(frame_time + 1, {&frame, room, 0}));
  EXPECT_EQ(wan.counters().drops, 1);
  EXPECT_EQ(wan.counters().sent_frames, room + 1);
}

TEST(Wan, LosesTheFractionThatItIsTold) {
  constexpr int frames = 100'000;
  Frame frame = full_frame();
  Wan wan({rate_bps, delay, 1 << 20, 0.01}, 1);
  int lost = 0;
  for (int i = 0; i < frames; ++i) {
    wan.send(i * frame_time, {&frame, 0, 0});
    lost += wan.receive().lost ? 1 : 0;
  }
  EXPECT_NEAR(lost, frames / 100, 100);
  EXPECT_EQ(wan.lost(), lost);
}

}  // namespace
}  // namespace suiro
