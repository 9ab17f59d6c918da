// SPDX-License-Identifier: BSD-3-Clause
#include "switch/slice.hpp"

namespace suiro {
namespace {

constexpr std::size_t network_offset = 14;
constexpr std::byte tcp_fin_and_push{0x09};
constexpr std::byte tcp_window_reduced{0x80};

using Bytes = std::span<std::byte>;

std::uint32_t get16(std::span<const std::byte> bytes, std::size_t offset) {
  return std::to_integer<std::uint32_t>(bytes[offset]) << 8 |
         std::to_integer<std::uint32_t>(bytes[offset + 1]);
}

void put16(Bytes bytes, std::size_t offset, std::uint32_t value) {
  bytes[offset] = static_cast<std::byte>(value >> 8 & 0xff);
  bytes[offset + 1] = static_cast<std::byte>(value & 0xff);
}

/// The sum of the Internet checksum; lengths here are even.
std::uint32_t sum(std::span<const std::byte> bytes, std::size_t offset, std::size_t length) {
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < length; i += 2) total += get16(bytes, offset + i);
  return total;
}

std::uint32_t fold(std::uint32_t total) {
  while (total >> 16 != 0) total = (total & 0xffff) + (total >> 16);
  return total;
}

/// Corrects length, identification and checksum of IP; returns the sum of the addresses for the
/// pseudo header.
std::uint32_t correct_network(Bytes headers, const FrameShape& shape, std::size_t payload_bytes,
                              int first) {
  const std::size_t transport = static_cast<std::size_t>(shape.transport_offset_bytes);
  if (shape.ipv6) {
    const std::size_t length = headers.size() - transport + payload_bytes;
    put16(headers, network_offset + 4, static_cast<std::uint32_t>(length));
    return sum(headers, network_offset + 8, 32);
  }
  const std::size_t length = headers.size() - network_offset + payload_bytes;
  put16(headers, network_offset + 2, static_cast<std::uint32_t>(length));
  const std::uint32_t identification = get16(headers, network_offset + 4);
  put16(headers, network_offset + 4, identification + static_cast<std::uint32_t>(first));
  put16(headers, network_offset + 10, 0);
  put16(headers, network_offset + 10,
        ~fold(sum(headers, network_offset, transport - network_offset)));
  return sum(headers, network_offset + 12, 8);
}

void correct_transport(Bytes headers, const FrameShape& shape, std::size_t payload_bytes, int first,
                       bool last, std::uint32_t addresses) {
  constexpr std::uint32_t protocol_tcp = 6;
  const std::size_t tcp = static_cast<std::size_t>(shape.transport_offset_bytes);
  std::uint32_t sequence = get16(headers, tcp + 4) << 16 | get16(headers, tcp + 6);
  sequence +=
      static_cast<std::uint32_t>(first) * static_cast<std::uint32_t>(shape.segment_payload_bytes);
  put16(headers, tcp + 4, sequence >> 16);
  put16(headers, tcp + 6, sequence);
  if (!last) headers[tcp + 13] &= ~tcp_fin_and_push;
  if (first > 0) headers[tcp + 13] &= ~tcp_window_reduced;
  const std::size_t length = headers.size() - tcp + payload_bytes;
  put16(headers, tcp + 16, fold(addresses + protocol_tcp + static_cast<std::uint32_t>(length)));
}

}  // namespace

Slice slice(std::span<const std::byte> frame, const FrameShape& shape, const OffloadHeader& header,
            int first, int count) {
  Slice result;
  result.headers_bytes = static_cast<std::size_t>(shape.header_bytes);
  const std::size_t piece = static_cast<std::size_t>(shape.segment_payload_bytes);
  const auto payload = frame.subspan(result.headers_bytes);
  const std::size_t begin = static_cast<std::size_t>(first) * piece;
  const std::size_t length =
      std::min(static_cast<std::size_t>(count) * piece, payload.size() - begin);
  result.payload = payload.subspan(begin, length);
  std::copy_n(frame.begin(), result.headers_bytes, result.headers.begin());
  const Bytes headers(result.headers.data(), result.headers_bytes);
  const std::uint32_t addresses = correct_network(headers, shape, length, first);
  correct_transport(headers, shape, length, first, first + count == shape.segments, addresses);
  result.offload.flags = OffloadHeader::needs_checksum;
  result.offload.checksum_start = static_cast<std::uint16_t>(shape.transport_offset_bytes);
  result.offload.checksum_offset = 16;
  if (count > 1) {
    result.offload.segment_type = header.segment_type;
    result.offload.segment_payload_bytes = header.segment_payload_bytes;
    result.offload.header_bytes = static_cast<std::uint16_t>(shape.header_bytes);
  }
  return result;
}

}  // namespace suiro
