// SPDX-License-Identifier: BSD-3-Clause
#include "switch/fair_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "frames.hpp"

namespace suiro {
namespace {

constexpr int mtu_frame_bytes = 1514;
constexpr std::uint32_t flow_a = 1, flow_b = 2, flow_c = 3;

/// A queue, and frames whose `unresolved` says in which order they were pushed.
struct Host {
  FairQueue queue{1};
  std::deque<Frame> frames;
  std::vector<std::uint32_t> flow_by_number;

  void push(std::uint32_t flow, int bytes = mtu_frame_bytes) {
    Frame frame;
    frame.shape.bytes = bytes;
    frame.target = static_cast<int>(flow % 8);
    frame.unresolved = static_cast<int>(frames.size());
    frames.push_back(frame);
    flow_by_number.push_back(flow);
    queue.push(&frames.back(), flow);
  }

  /// The flow of the next frame; 0 if there is none.
  std::uint32_t pop() {
    const Frame* frame = queue.pop();
    return frame == nullptr ? 0 : flow_by_number[static_cast<std::size_t>(frame->unresolved)];
  }

  std::string pop_all() {
    std::string order;
    while (const std::uint32_t flow = pop()) order += static_cast<char>('A' + flow - 1);
    return order;
  }
};

TEST(FairQueue, FlowsShareEqually) {
  Host host;
  for (int i = 0; i < 1000; ++i) host.push(flow_a);
  for (int i = 0; i < 1000; ++i) host.push(flow_b);
  int turns_of_a = 0;
  for (int i = 0; i < 1000; ++i) turns_of_a += host.pop() == flow_a;
  EXPECT_NEAR(turns_of_a, 500, 50);
}

/// Whether a flow is served again must not depend on who was served before: a fixed order locks the
/// hosts' choices into step.
TEST(FairQueue, ChoosesIndependently) {
  Host host;
  for (int i = 0; i < 2000; ++i) host.push(flow_a);
  for (int i = 0; i < 2000; ++i) host.push(flow_b);
  int repeats = 0;
  std::uint32_t before = host.pop();
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t flow = host.pop();
    repeats += flow == before;
    before = flow;
  }
  EXPECT_NEAR(repeats, 1000, 100);
}

TEST(FairQueue, FlowsToOneTargetTakeTurns) {
  constexpr std::uint32_t flow_d = flow_a + 8;  // has the target of flow A
  Host host;
  for (int i = 0; i < 3; ++i) host.push(flow_a);
  for (int i = 0; i < 3; ++i) host.push(flow_d);
  EXPECT_EQ(host.pop_all(), "AIAIAI");
}

TEST(FairQueue, AFlowThatJustBeganGoesFirst) {
  Host host;
  for (int i = 0; i < 4; ++i) host.push(flow_a);
  for (int i = 0; i < 4; ++i) host.push(flow_b);
  EXPECT_EQ(host.pop(), flow_a);
  EXPECT_EQ(host.pop(), flow_b);
  EXPECT_NE(host.pop(), flow_c);
  host.push(flow_c, 66);
  EXPECT_EQ(host.pop(), flow_c);
}

/// It would have every second turn if it counted as new after each pause.
TEST(FairQueue, PausingDoesNotKeepAFlowAhead) {
  Host host;
  for (int i = 0; i < 200; ++i) {
    host.push(flow_a);
    host.push(flow_b);
  }
  host.push(flow_c, mtu_frame_bytes - 1);
  int turns_of_c = 0;
  bool waiting = true;
  for (int i = 0; i < 300; ++i) {
    if (host.pop() == flow_c) {
      ++turns_of_c;
      waiting = false;
    } else if (!waiting) {
      host.push(flow_c, mtu_frame_bytes - 1);
      waiting = true;
    }
  }
  EXPECT_NEAR(turns_of_c, 100, 25);
}

TEST(FairQueue, KeepsTheOrderWithinAFlow) {
  Host host;
  std::mt19937 random(7);
  std::vector<int> last(8, -1);  // by flow
  std::size_t popped = 0;
  for (int step = 0; step < 100'000; ++step) {
    const auto flow = static_cast<std::uint32_t>(random() % last.size());
    if (random() % 2 == 0) {
      host.push(flow, 60 + static_cast<int>(random() % 60'000));
    } else if (const Frame* frame = host.queue.pop()) {
      int& before = last[host.flow_by_number[static_cast<std::size_t>(frame->unresolved)]];
      ASSERT_GT(frame->unresolved, before);
      before = frame->unresolved;
      ++popped;
    }
  }
  while (host.queue.pop() != nullptr) ++popped;
  EXPECT_EQ(popped, host.frames.size());
}

TEST(FairQueue, IsFullByTheBytesThatWait) {
  Host host;
  constexpr int bytes = 1 << 16;
  for (std::size_t i = 0; i < FairQueue::bytes_max / bytes; ++i) {
    EXPECT_FALSE(host.queue.full());
    host.push(static_cast<std::uint32_t>(i), bytes);
  }
  EXPECT_TRUE(host.queue.full());
  EXPECT_NE(host.queue.pop(), nullptr);
  EXPECT_FALSE(host.queue.full());
  host.push(flow_a, bytes);
  EXPECT_TRUE(host.queue.full());
  while (host.queue.pop() != nullptr) continue;
  EXPECT_FALSE(host.queue.full());
}

TEST(FairQueue, GivesNothingWhenEmptyAndServesAFlowThatReturns) {
  Host host;
  EXPECT_EQ(host.queue.pop(), nullptr);
  for (int i = 0; i < 3; ++i) {
    host.push(flow_a);
    EXPECT_EQ(host.pop_all(), "A");
    EXPECT_EQ(host.queue.pop(), nullptr);
  }
}

TEST(FlowOf, TellsConnectionsApart) {
  const auto frame = tcp_frame(100);
  EXPECT_NE(flow_of(frame), 0U);
  for (std::size_t i = 26; i < 38; ++i) {  // the addresses and the ports
    auto other = frame;
    other[i] ^= std::byte{1};
    EXPECT_NE(flow_of(other), flow_of(frame)) << "byte " << i;
  }
}

TEST(FlowOf, IsTheSameForAllFramesOfAConnection) {
  auto frame = tcp_frame(1000);
  const std::uint32_t flow = flow_of(frame);
  EXPECT_EQ(flow_of(tcp_frame(0)), flow);
  for (std::size_t i = 38; i < frame.size(); ++i) frame[i] ^= std::byte{0xff};
  EXPECT_EQ(flow_of(frame), flow);
}

TEST(FlowOf, WhatHasNoPortsIsOneFlow) {
  EXPECT_EQ(flow_of(tcp_frame(100, true)), 0U);
  auto with_options = tcp_frame(100);
  with_options[14] = std::byte{0x46};
  EXPECT_EQ(flow_of(with_options), 0U);
  auto other_type = tcp_frame(100);
  other_type[13] = std::byte{6};
  EXPECT_EQ(flow_of(other_type), 0U);
}

/// Each frame is memory of its own, so that a sanitizer sees a byte read behind it.
TEST(FlowOf, ReadsNothingBehindAShortFrame) {
  const auto whole = tcp_frame(0);
  for (std::size_t length = 0; length < 38; ++length) {
    const std::vector<std::byte> frame(whole.begin(),
                                       whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(flow_of(frame), 0U) << length << " bytes";
  }
  const std::vector<std::byte> just_long_enough(whole.begin(), whole.begin() + 38);
  EXPECT_EQ(flow_of(just_long_enough), flow_of(whole));
}

}  // namespace
}  // namespace suiro
