// SPDX-License-Identifier: BSD-3-Clause
// What a switch must know of a frame: where it goes and which MTU frames it stands for. Hosts with
// segmentation offload hand over super-frames of up to 64 KiB; on a real wire each would be many
// MTU frames, so that is how it is charged. Reading is pure and distrusts every byte and every
// field of the header that came with the frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace suiro {

/// The header that the kernel puts before each frame (struct virtio_net_hdr, 10 bytes, native byte
/// order on a TAP).
struct OffloadHeader {
  std::uint8_t flags = 0;
  std::uint8_t segment_type = 0;
  std::uint16_t header_bytes = 0;
  std::uint16_t segment_payload_bytes = 0;
  std::uint16_t checksum_start = 0;
  std::uint16_t checksum_offset = 0;

  static constexpr std::uint8_t needs_checksum = 1;  // the sums before checksum_start are partial
  static constexpr std::uint8_t whole = 0;
  static constexpr std::uint8_t tcp_ipv4 = 1;
  static constexpr std::uint8_t tcp_ipv6 = 4;
};
static_assert(sizeof(OffloadHeader) == 10);

inline constexpr int frame_bytes_min = 60;
inline constexpr std::size_t frame_bytes_max =
    65536 + 256;                                // the largest super-frame, with headers
inline constexpr int wire_overhead_bytes = 24;  // 4 of check sequence, 20 of preamble and gap

/// What a frame of this many bytes, Ethernet header included, occupies of the wire.
constexpr int wire_bytes(int frame_bytes) {
  return std::max(frame_bytes, frame_bytes_min) + wire_overhead_bytes;
}

/// What a full frame of a link with this MTU occupies of the wire.
constexpr int mtu_wire_bytes(int mtu_bytes) { return wire_bytes(mtu_bytes + 14); }

/// One frame as the wire sees it: `segments` MTU frames, each with its own copy of the headers.
struct FrameShape {
  std::uint64_t target_address = 0;  // 48 bits of Ethernet address
  int bytes = 0;
  int segments = 1;
  int header_bytes = 0;  // Ethernet, IP and TCP; only of super-frames
  int segment_payload_bytes = 0;
  int transport_offset_bytes = 0;
  bool ipv6 = false;

  /// Bytes of one of its MTU frames, Ethernet header included.
  int segment_bytes(int index) const {
    if (segments == 1) return bytes;
    const int before = index * segment_payload_bytes;
    return header_bytes + std::min(segment_payload_bytes, bytes - header_bytes - before);
  }
};

/// The shape of a frame; nothing if it is too short, or a super-frame that cannot be cut.
std::optional<FrameShape> parse_frame(std::span<const std::byte> frame,
                                      const OffloadHeader& header);

}  // namespace suiro
