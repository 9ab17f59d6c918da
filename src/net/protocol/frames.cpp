// SPDX-License-Identifier: BSD-3-Clause
#include "net/protocol/frames.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

#include "base/bytes.hpp"

namespace suiro::net {
namespace {

constexpr std::uint8_t mark = 0x53;  // of this format; the handshake agrees on the version

enum Flag : std::uint8_t {
  untagged = 1,
  with_data = 2,
  acknowledge = 4,
  whole = 8,
  wide_data = 16,  // of 8 bytes; without it of 4
  with_busy_links = 32,
  all_flags = 63
};

/// Where the bytes are that each header begins with. The other fields follow.
enum HeaderOffset : std::size_t {
  at_kind = 0,
  at_flags = 1,
  at_stream = 2,
  at_mark = 3,
  at_fields = 4
};

bool is_message(const Header& header) {
  return header.kind == FrameKind::eager || header.kind == FrameKind::request;
}

bool is_about_stream(const Header& header) {
  return header.kind == FrameKind::grant || header.kind == FrameKind::leave;
}

/// Calls `field` for each field that the kind has, in the order of the wire.
void each_field(Header& header, std::uint8_t flags, auto field) {
  const bool wide = (flags & wide_data) != 0;
  field(header.received);
  field(header.consumed_bytes);
  if (header.kind == FrameKind::acknowledgement) return;
  field(header.sequence);
  if (is_message(header)) field(header.payload_bytes);
  const bool grant = header.kind == FrameKind::grant;
  const bool request = header.kind == FrameKind::request;
  if (is_message(header) || grant) field(header.tag);
  if (wide || is_about_stream(header)) {
    field(header.data);
  } else if (header.has_data) {
    auto narrow = static_cast<std::uint32_t>(header.data);
    field(narrow);
    header.data = narrow;
  }
  if (request || grant) field(header.message_bytes);
  if (request || grant || header.kind == FrameKind::done) field(header.transfer);
  if (request || grant) field(header.ahead_bytes);
  if ((flags & with_busy_links) != 0)
    for (std::uint16_t& steps : header.busy.steps) field(steps);
}

bool is_wide(const Header& header) { return header.has_data && header.data >> 32U != 0; }

/// The kind and what the flags say of it.
Header begin(std::span<const std::byte> bytes) {
  const auto flags = load<std::uint8_t>(bytes, at_flags);
  Header header;
  header.kind = static_cast<FrameKind>(load<std::uint8_t>(bytes, at_kind));
  header.space = (flags & untagged) != 0 ? Space::untagged : Space::tagged;
  header.has_data = (flags & with_data) != 0;
  header.wants_acknowledgement = (flags & acknowledge) != 0;
  header.only_whole = (flags & whole) != 0;
  header.stream = load<std::uint8_t>(bytes, at_stream);
  return header;
}

/// What each header begins with.
bool beginning_fits(const Header& header, std::uint8_t flags) {
  const bool message = is_message(header);
  const int streams = is_about_stream(header)          ? max_streams
                      : header.kind == FrameKind::want ? max_rails
                                                       : 1;
  return flags <= all_flags && header.stream < streams &&
         (message || (header.space == Space::tagged && !header.has_data)) &&
         (header.has_data || (flags & wide_data) == 0) &&
         (header.kind == FrameKind::request || (flags & with_busy_links) == 0) &&
         (!header.only_whole || header.kind == FrameKind::grant);
}

bool grant_fits(const Header& header) {
  return header.message_bytes > 0 && header.message_bytes <= max_message_bytes &&
         header.tag <= max_message_bytes && header.tag + header.message_bytes <= max_message_bytes;
}

bool request_fits(const Header& header) {
  return (header.payload_bytes == 0 || header.payload_bytes < header.message_bytes) &&
         header.ahead_bytes <= header.message_bytes && header.message_bytes <= max_message_bytes;
}

bool fields_fit(const Header& header) {
  if (header.payload_bytes > max_payload_bytes || header.ahead_bytes > max_payload_bytes)
    return false;
  if (header.only_whole && header.ahead_bytes == 0) return false;
  switch (header.kind) {
    case FrameKind::request:
      return request_fits(header);
    case FrameKind::grant:
      return grant_fits(header);
    case FrameKind::eager:
    case FrameKind::done:
    case FrameKind::acknowledgement:
    case FrameKind::goodbye:
    case FrameKind::leave:
    case FrameKind::want:
      return true;
  }
  return false;
}

}  // namespace

void BusyLinks::set(std::size_t rail, double bytes) {
  const double most = std::numeric_limits<std::uint16_t>::max();
  steps[rail] = static_cast<std::uint16_t>(std::clamp(bytes / bytes_per_step, 0.0, most));
}

bool BusyLinks::any() const { return std::ranges::any_of(steps, std::identity()); }

HeaderBytes encode(const Header& header) {
  const auto flags = static_cast<std::uint8_t>(
      (header.space == Space::untagged ? untagged : 0) | (header.has_data ? with_data : 0) |
      (header.wants_acknowledgement ? acknowledge : 0) | (header.only_whole ? whole : 0) |
      (is_wide(header) ? wide_data : 0) | (header.busy.any() ? with_busy_links : 0));
  HeaderBytes encoded;
  store(encoded.bytes, at_kind, static_cast<std::uint8_t>(header.kind));
  store(encoded.bytes, at_flags, flags);
  store(encoded.bytes, at_stream, header.stream);
  store(encoded.bytes, at_mark, mark);
  encoded.length = at_fields;
  Header fields = header;
  each_field(fields, flags, [&](auto& field) {
    store(encoded.bytes, encoded.length, field);
    encoded.length += sizeof field;
  });
  return encoded;
}

std::size_t header_length(std::span<const std::byte> bytes) {
  Header header = begin(bytes);
  std::size_t length = at_fields;
  each_field(header, load<std::uint8_t>(bytes, at_flags),
             [&](auto& field) { length += sizeof field; });
  return length;
}

std::optional<Header> decode(std::span<const std::byte> bytes) {
  const auto flags = load<std::uint8_t>(bytes, at_flags);
  Header header = begin(bytes);
  if (load<std::uint8_t>(bytes, at_mark) != mark || !beginning_fits(header, flags))
    return std::nullopt;
  std::size_t offset = at_fields;
  each_field(header, flags, [&](auto& field) {
    field = load<std::remove_reference_t<decltype(field)>>(bytes, offset);
    offset += sizeof field;
  });
  if (header.kind == FrameKind::eager) header.message_bytes = header.payload_bytes;
  // What can be said in fewer bytes is.
  const bool short_enough = ((flags & wide_data) != 0) == is_wide(header) &&
                            ((flags & with_busy_links) != 0) == header.busy.any();
  if (!short_enough || !fields_fit(header)) return std::nullopt;
  return header;
}

}  // namespace suiro::net
