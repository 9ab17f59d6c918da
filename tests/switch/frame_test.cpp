// SPDX-License-Identifier: BSD-3-Clause
#include "switch/frame.hpp"

#include <gtest/gtest.h>

#include <random>

#include "frames.hpp"

namespace suiro {
namespace {

TEST(Frame, ChargesASuperFrameAsItsMtuFrames) {
  for (const bool ipv6 : {false, true}) {
    const auto shape = parse_frame(tcp_frame(3000, ipv6), tcp_offload(1448, ipv6));
    ASSERT_TRUE(shape);
    const int headers = ipv6 ? 86 : 66;
    EXPECT_EQ(shape->target_address, 0x020000000002U);
    EXPECT_EQ(shape->segments, 3);
    EXPECT_EQ(shape->segment_bytes(0), headers + 1448);
    EXPECT_EQ(shape->segment_bytes(2), headers + 104);
  }
}

TEST(Frame, ChargesSmallFramesAsTheSmallestOfTheWire) {
  const auto shape = parse_frame(tcp_frame(0), OffloadHeader{});
  ASSERT_TRUE(shape);
  EXPECT_EQ(wire_bytes(shape->segment_bytes(0)), 66 + 24);
  EXPECT_EQ(wire_bytes(14), 84);
  EXPECT_EQ(mtu_wire_bytes(1500), 1538);
}

TEST(Frame, RefusesWhatCannotBeCut) {
  const auto good = tcp_frame(3000);
  EXPECT_FALSE(parse_frame(std::span(good).first(13), OffloadHeader{}));
  EXPECT_FALSE(parse_frame(good, tcp_offload(0)));
  EXPECT_FALSE(parse_frame(good, tcp_offload(1448, true)));
  OffloadHeader without_checksum = tcp_offload(1448);
  without_checksum.flags = 0;
  EXPECT_FALSE(parse_frame(good, without_checksum));
  OffloadHeader unknown = tcp_offload(1448);
  unknown.segment_type = 3;
  EXPECT_FALSE(parse_frame(good, unknown));
  auto udp = good;
  udp[23] = std::byte{17};
  EXPECT_FALSE(parse_frame(udp, tcp_offload(1448)));
  auto long_headers = good;
  long_headers[34 + 12] = std::byte{0xf0};
  EXPECT_FALSE(parse_frame(std::span(long_headers).first(34 + 60), tcp_offload(1448)));
  auto short_headers = good;
  short_headers[14] = std::byte{0x44};
  EXPECT_FALSE(parse_frame(short_headers, tcp_offload(1448)));
  EXPECT_FALSE(parse_frame(std::vector<std::byte>(frame_bytes_max + 1), OffloadHeader{}));
}

TEST(Frame, AnyBytesGiveSegmentsThatAddUp) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    auto bytes = tcp_frame(static_cast<int>(random() % 200), random() % 2 == 0);
    for (int flips = static_cast<int>(random() % 4); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    bytes.resize(random() % (bytes.size() + 1));
    const auto header = tcp_offload(static_cast<int>(random() % 100), random() % 2 == 0);
    const auto shape = parse_frame(bytes, header);
    if (!shape) continue;
    int sum = shape->segments > 1 ? shape->header_bytes * (1 - shape->segments) : 0;
    for (int segment = 0; segment < shape->segments; ++segment) {
      ASSERT_GT(shape->segment_bytes(segment), shape->segments > 1 ? shape->header_bytes : 0);
      sum += shape->segment_bytes(segment);
    }
    ASSERT_EQ(sum, static_cast<int>(bytes.size()));
  }
}

}  // namespace
}  // namespace suiro
