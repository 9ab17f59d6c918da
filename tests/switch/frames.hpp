// SPDX-License-Identifier: BSD-3-Clause
// Frames as a host's kernel hands them over.
#pragma once

#include <vector>

#include "switch/frame.hpp"

namespace suiro {

/// A TCP frame with FIN, PSH, CWR and ACK set, sequence number 0xfffffff0, and payload bytes that
/// count up.
inline std::vector<std::byte> tcp_frame(int payload_bytes, bool ipv6 = false) {
  const std::size_t transport = ipv6 ? 54 : 34;
  std::vector<std::byte> frame(transport + 32 + static_cast<std::size_t>(payload_bytes));
  auto put = [&](std::size_t at, std::initializer_list<int> bytes) {
    for (const int byte : bytes) frame[at++] = static_cast<std::byte>(byte);
  };
  put(0, {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1});
  if (ipv6) {
    put(12, {0x86, 0xdd, 0x60, 0, 0, 0, 0, 0, 6, 64, 0xfd});
    put(38, {0xfe});
  } else {
    put(12, {8, 0, 0x45, 0, 0, 0, 0x12, 0xff, 0x40, 0, 64, 6, 0, 0, 10, 77, 0, 1, 10, 77, 0, 2});
  }
  put(transport + 4, {0xff, 0xff, 0xff, 0xf0});
  put(transport + 12, {0x80, 0x99});
  for (std::size_t i = transport + 32; i < frame.size(); ++i) frame[i] = static_cast<std::byte>(i);
  return frame;
}

inline OffloadHeader tcp_offload(int segment_payload_bytes, bool ipv6 = false) {
  OffloadHeader header;
  header.flags = OffloadHeader::needs_checksum;
  header.segment_type = ipv6 ? OffloadHeader::tcp_ipv6 : OffloadHeader::tcp_ipv4;
  header.segment_payload_bytes = static_cast<std::uint16_t>(segment_payload_bytes);
  return header;
}

}  // namespace suiro
