// SPDX-License-Identifier: BSD-3-Clause
#include "switch/frame.hpp"

namespace suiro {
namespace {

constexpr std::size_t ethernet_bytes = 14;
constexpr std::size_t ipv6_bytes = 40;
constexpr std::size_t header_bytes_min = 20;  // of IPv4 and of TCP
constexpr unsigned protocol_tcp = 6;
constexpr unsigned ethertype_ipv4 = 0x0800;
constexpr unsigned ethertype_ipv6 = 0x86dd;

unsigned byte_at(std::span<const std::byte> frame, std::size_t offset) {
  return std::to_integer<unsigned>(frame[offset]);
}

/// Where TCP begins, if this is unfragmented TCP directly over IPv4 or IPv6.
std::optional<std::size_t> transport_offset(std::span<const std::byte> frame, bool ipv6) {
  const unsigned ethertype = byte_at(frame, 12) << 8 | byte_at(frame, 13);
  if (ethertype != (ipv6 ? ethertype_ipv6 : ethertype_ipv4)) return std::nullopt;
  const std::size_t smallest = ethernet_bytes + (ipv6 ? ipv6_bytes : header_bytes_min);
  if (frame.size() < smallest) return std::nullopt;
  const unsigned version = byte_at(frame, ethernet_bytes) >> 4;
  if (ipv6) {
    const bool tcp = version == 6 && byte_at(frame, ethernet_bytes + 6) == protocol_tcp;
    return tcp ? std::optional(smallest) : std::nullopt;
  }
  if (version != 4 || byte_at(frame, ethernet_bytes + 9) != protocol_tcp) return std::nullopt;
  const std::size_t length = std::size_t{byte_at(frame, ethernet_bytes) & 0xf} * 4;
  if (length < header_bytes_min) return std::nullopt;
  return ethernet_bytes + length;
}

/// Fills in how a super-frame is to be cut; false if it cannot be.
bool cut(std::span<const std::byte> frame, const OffloadHeader& header, FrameShape& shape) {
  const bool ipv6 = header.segment_type == OffloadHeader::tcp_ipv6;
  if (!ipv6 && header.segment_type != OffloadHeader::tcp_ipv4) return false;
  if ((header.flags & OffloadHeader::needs_checksum) == 0) return false;
  if (header.segment_payload_bytes == 0) return false;
  const auto transport = transport_offset(frame, ipv6);
  if (!transport || frame.size() < *transport + header_bytes_min) return false;
  const std::size_t tcp_bytes = std::size_t{byte_at(frame, *transport + 12) >> 4} * 4;
  const std::size_t headers = *transport + tcp_bytes;
  if (tcp_bytes < header_bytes_min || frame.size() <= headers) return false;
  const std::size_t payload = frame.size() - headers;
  const std::size_t piece = header.segment_payload_bytes;
  shape.ipv6 = ipv6;
  shape.transport_offset_bytes = static_cast<int>(*transport);
  shape.header_bytes = static_cast<int>(headers);
  shape.segment_payload_bytes = static_cast<int>(piece);
  shape.segments = static_cast<int>((payload + piece - 1) / piece);
  return true;
}

}  // namespace

std::optional<FrameShape> parse_frame(std::span<const std::byte> frame,
                                      const OffloadHeader& header) {
  if (frame.size() < ethernet_bytes || frame.size() > frame_bytes_max) return std::nullopt;
  FrameShape shape;
  for (std::size_t i = 0; i < 6; ++i) {
    shape.target_address = shape.target_address << 8 | byte_at(frame, i);
  }
  shape.bytes = static_cast<int>(frame.size());
  if (header.segment_type != OffloadHeader::whole && !cut(frame, header, shape)) {
    return std::nullopt;
  }
  return shape;
}

}  // namespace suiro
