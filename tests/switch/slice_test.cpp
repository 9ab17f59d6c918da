// SPDX-License-Identifier: BSD-3-Clause
#include "switch/slice.hpp"

#include <gtest/gtest.h>

#include "frames.hpp"

namespace suiro {
namespace {

unsigned at(const Slice& part, std::size_t offset) {
  return std::to_integer<unsigned>(part.headers[offset]) << 8 |
         std::to_integer<unsigned>(part.headers[offset + 1]);
}

unsigned folded_sum(const Slice& part, std::size_t begin, std::size_t end) {
  unsigned sum = 0;
  for (std::size_t i = begin; i < end; i += 2) sum += at(part, i);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

Slice cut(int first, int count, bool ipv6 = false) {
  static std::vector<std::byte> frame;
  frame = tcp_frame(3000, ipv6);
  const auto header = tcp_offload(1000, ipv6);
  return slice(frame, *parse_frame(frame, header), header, first, count);
}

TEST(Slice, OneMtuFrameIsAnOrdinaryFrame) {
  const Slice part = cut(1, 1);
  EXPECT_EQ(part.headers_bytes, 66U);
  EXPECT_EQ(part.payload.size(), 1000U);
  EXPECT_EQ(part.payload[0], static_cast<std::byte>(66 + 1000));
  EXPECT_EQ(part.offload.segment_type, OffloadHeader::whole);
  EXPECT_EQ(part.offload.flags, OffloadHeader::needs_checksum);
  EXPECT_EQ(part.offload.checksum_start, 34);
  EXPECT_EQ(part.offload.checksum_offset, 16);
  EXPECT_EQ(at(part, 16), 52U + 1000U);
  EXPECT_EQ(at(part, 18), 0x1300U);
  EXPECT_EQ(folded_sum(part, 14, 34), 0xffffU);
  // 0xfffffff0 + 1000 wraps, as sequence numbers do.
  EXPECT_EQ(at(part, 38) << 16 | at(part, 40), 984U);
}

TEST(Slice, FlagsBelongToTheFirstOrTheLast) {
  EXPECT_EQ(at(cut(0, 1), 46) & 0xff, 0x90U);
  EXPECT_EQ(at(cut(1, 1), 46) & 0xff, 0x10U);
  EXPECT_EQ(at(cut(2, 1), 46) & 0xff, 0x19U);
  EXPECT_EQ(at(cut(0, 3), 46) & 0xff, 0x99U);
}

TEST(Slice, SeveralMtuFramesStayASuperFrame) {
  const Slice part = cut(1, 2);
  EXPECT_EQ(part.payload.size(), 2000U);
  EXPECT_EQ(part.offload.segment_type, OffloadHeader::tcp_ipv4);
  EXPECT_EQ(part.offload.segment_payload_bytes, 1000);
  EXPECT_EQ(part.offload.header_bytes, 66);
  unsigned pseudo = folded_sum(part, 26, 34) + 6 + 32 + 2000;
  EXPECT_EQ(at(part, 50), (pseudo & 0xffff) + (pseudo >> 16));
}

TEST(Slice, Ipv6HasItsOwnLengthAndPseudoHeader) {
  const Slice part = cut(2, 1, true);
  EXPECT_EQ(at(part, 18), 32U + 1000U);
  EXPECT_EQ(at(part, 54 + 4) << 16 | at(part, 54 + 6), 1984U);
  unsigned pseudo = folded_sum(part, 22, 54) + 6 + 32 + 1000;
  EXPECT_EQ(at(part, 54 + 16), (pseudo & 0xffff) + (pseudo >> 16));
}

}  // namespace
}  // namespace suiro
