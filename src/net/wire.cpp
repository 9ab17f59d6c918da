// SPDX-License-Identifier: BSD-3-Clause
#include "net/wire.hpp"

#include "net/bytes.hpp"

namespace suiro::net {
namespace {

constexpr std::uint16_t magic = 0x5753;  // "SW", as bytes
constexpr std::uint8_t wire_version = 2;

enum Flag : std::uint8_t {
  untagged = 1,
  with_data = 2,
  acknowledge = 4,
  whole = 8,
  all_flags = 15
};

/// Where the fields are. The reserved bytes are kept for later versions, and are zero.
enum Offset : std::size_t {
  at_magic = 0,
  at_version = 2,
  at_kind = 3,
  at_flags = 4,
  at_stream = 5,
  at_reserved = 6,
  at_payload_bytes = 8,
  at_sequence = 12,
  at_received = 16,
  at_ahead_bytes = 20,
  at_consumed_bytes = 24,
  at_tag = 32,
  at_message_bytes = 40,
  at_data = 48,
  at_transfer = 56
};

bool is_message(const Header& header) {
  return header.kind == FrameKind::eager || header.kind == FrameKind::request;
}

bool is_about_stream(const Header& header) {
  return header.kind == FrameKind::grant || header.kind == FrameKind::leave;
}

/// Only messages have an envelope, and only a message with data has data.
bool envelope_fits(const Header& header) {
  if (is_message(header)) return header.has_data || header.data == 0;
  return header.space == Space::tagged && !header.has_data &&
         (header.data == 0 || is_about_stream(header));
}

bool grant_fits(const Header& header) {
  return header.message_bytes > 0 && header.message_bytes <= max_message_bytes &&
         header.tag <= max_message_bytes && header.tag + header.message_bytes <= max_message_bytes;
}

bool is_bare(const Header& header) {
  return header.tag == 0 && header.message_bytes == 0 && header.payload_bytes == 0;
}

bool kind_fits(const Header& header) {
  if (header.stream >= (is_about_stream(header) ? max_streams : 1)) return false;
  const bool request = header.kind == FrameKind::request;
  const bool grant = header.kind == FrameKind::grant;
  if (header.ahead_bytes > (request || grant ? max_payload_bytes : 0)) return false;
  if (header.only_whole && (!grant || header.ahead_bytes == 0)) return false;
  switch (header.kind) {
    case FrameKind::eager:
      return header.payload_bytes <= max_payload_bytes &&
             header.payload_bytes == header.message_bytes && header.transfer == 0;
    case FrameKind::request:
      return header.payload_bytes <= max_payload_bytes &&
             (header.payload_bytes == 0 || header.payload_bytes < header.message_bytes) &&
             header.ahead_bytes <= header.message_bytes &&
             header.message_bytes <= max_message_bytes;
    case FrameKind::grant:
      return header.payload_bytes == 0 && grant_fits(header);
    case FrameKind::done:
      return is_bare(header);
    case FrameKind::acknowledgement:
      return is_bare(header) && header.transfer == 0 && header.sequence == 0;
    case FrameKind::goodbye:
    case FrameKind::leave:
      return is_bare(header) && header.transfer == 0;
  }
  return false;
}

}  // namespace

HeaderBytes encode(const Header& header) {
  HeaderBytes bytes{};
  const auto flags = static_cast<std::uint8_t>(
      (header.space == Space::untagged ? untagged : 0) | (header.has_data ? with_data : 0) |
      (header.wants_acknowledgement ? acknowledge : 0) | (header.only_whole ? whole : 0));
  store(bytes, at_magic, magic);
  store(bytes, at_version, wire_version);
  store(bytes, at_kind, static_cast<std::uint8_t>(header.kind));
  store(bytes, at_flags, flags);
  store(bytes, at_stream, header.stream);
  store(bytes, at_payload_bytes, header.payload_bytes);
  store(bytes, at_sequence, header.sequence);
  store(bytes, at_received, header.received);
  store(bytes, at_ahead_bytes, header.ahead_bytes);
  store(bytes, at_consumed_bytes, header.consumed_bytes);
  store(bytes, at_tag, header.tag);
  store(bytes, at_message_bytes, header.message_bytes);
  store(bytes, at_data, header.data);
  store(bytes, at_transfer, header.transfer);
  return bytes;
}

std::optional<Header> decode(std::span<const std::byte, header_bytes> bytes) {
  const auto flags = load<std::uint8_t>(bytes, at_flags);
  if (load<std::uint16_t>(bytes, at_magic) != magic ||
      load<std::uint8_t>(bytes, at_version) != wire_version || flags > all_flags ||
      load<std::uint16_t>(bytes, at_reserved) != 0) {
    return std::nullopt;
  }
  Header header;
  header.kind = static_cast<FrameKind>(load<std::uint8_t>(bytes, at_kind));
  header.space = (flags & untagged) != 0 ? Space::untagged : Space::tagged;
  header.has_data = (flags & with_data) != 0;
  header.wants_acknowledgement = (flags & acknowledge) != 0;
  header.only_whole = (flags & whole) != 0;
  header.stream = load<std::uint8_t>(bytes, at_stream);
  header.payload_bytes = load<std::uint32_t>(bytes, at_payload_bytes);
  header.sequence = load<std::uint32_t>(bytes, at_sequence);
  header.received = load<std::uint32_t>(bytes, at_received);
  header.ahead_bytes = load<std::uint32_t>(bytes, at_ahead_bytes);
  header.consumed_bytes = load<std::uint64_t>(bytes, at_consumed_bytes);
  header.tag = load<std::uint64_t>(bytes, at_tag);
  header.message_bytes = load<std::uint64_t>(bytes, at_message_bytes);
  header.data = load<std::uint64_t>(bytes, at_data);
  header.transfer = load<std::uint64_t>(bytes, at_transfer);
  if (!kind_fits(header) || !envelope_fits(header)) return std::nullopt;
  return header;
}

}  // namespace suiro::net
