// SPDX-License-Identifier: BSD-3-Clause
// The frames of control streams: a header, then `payload_bytes` of payload. A header has only the
// fields that its kind needs, since a short message pays for each byte on the wire. Integers are
// little endian. decode() believes nothing: what it returns is within the limits named here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"

namespace suiro::net {

enum class FrameKind : std::uint8_t {
  eager = 1,  // payload: the message
  request,    // a message of `message_bytes` that stays with the sender but for its first part,
              // the payload; transfer: the sender's number
  grant,      // transfer: the sender's; [offset, offset + length) on bulk stream `stream`
  done,       // transfer: the sender's; the sender's operation is complete
  acknowledgement,  // header only, without sequence number
  goodbye,          // no more will be sent
  leave,            // data: the life of bulk stream `stream` in which it is read no more
  want,             // stream: a rail of whoever opens bulk streams, who is to open one there
};

constexpr std::size_t header_bytes_min = 12;
constexpr std::size_t header_bytes_max = 72;
/// From where bytes of credit are counted: 4 bytes of the count are sent, which wrap soon in each
/// job, so that all tests are tests of that.
constexpr std::uint64_t first_credit = (std::uint64_t{1} << 32U) - (192 << 10);
constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 62;
constexpr std::uint32_t max_payload_bytes = 4 << 20;  // of a message
constexpr int max_streams_per_rail = 16;
constexpr int max_streams = (max_rails + 1) * max_streams_per_rail;  // shared memory is a rail too

/// What links have to carry, in steps of 4 KiB, up to 256 MiB: a round guess of something that is
/// past when it is read.
struct BusyLinks {
  std::array<std::uint16_t, max_rails> steps{};
  void set(std::size_t rail, double bytes);
  double bytes(std::size_t rail) const { return steps[rail] * bytes_per_step; }
  bool any() const;
  static constexpr double bytes_per_step = 4096;
};

/// What a message costs its receiver in memory, at most, while nobody has asked for it. Headers
/// count, so that empty messages cannot fill the memory either.
constexpr std::uint64_t cost(std::uint64_t message_bytes) { return message_bytes + 64; }

struct Header {
  FrameKind kind = FrameKind::acknowledgement;
  Space space = Space::tagged;
  bool has_data = false;
  bool wants_acknowledgement = false;  // soon, not when it suits
  bool only_whole = false;             // grant: what may go ahead is a message or nothing of it
  std::uint8_t stream = 0;             // grant: rail * streams_per_rail + index
  std::uint32_t payload_bytes = 0;     // that follow
  std::uint32_t sequence = 0;          // of this frame among those that must arrive; wraps
  std::uint32_t received = 0;        // how many such frames the sender of this has received; wraps
  std::uint32_t consumed_bytes = 0;  // cost() of payloads that may be sent, in all; wraps
  std::uint32_t ahead_bytes = 0;     // grant: how much of the next long message may go with its
                                     // request; request: how much would have, had there been
                                     // credit
  std::uint64_t tag = 0;             // grant: offset
  std::uint64_t message_bytes = 0;   // eager, request: of the message; grant: length
  std::uint64_t data = 0;            // remote completion data; grant: which life of the stream
  std::uint64_t transfer = 0;        // request, grant, done
  BusyLinks busy{};                  // request: what the sender's links have to carry to others
};

/// Whether what comes with this frame costs the sender credit.
inline bool charges(const Header& header) {
  return header.kind == FrameKind::eager || header.payload_bytes > 0;
}

/// A header as it is on the wire.
struct HeaderBytes {
  std::array<std::byte, header_bytes_max> bytes{};
  std::size_t length = 0;
  std::span<const std::byte> span() const { return std::span(bytes).first(length); }
};

HeaderBytes encode(const Header& header);
/// How long the header is that begins with these bytes, `header_bytes_min` at least. Only decode()
/// tells whether there can be such a header.
std::size_t header_length(std::span<const std::byte> bytes);
/// Nothing if the bytes are no header that an honest engine of this version could have sent: it has
/// the length that header_length() tells, an eager message is whole, a request's payload is not, a
/// grant is not empty, and nothing exceeds the limits.
std::optional<Header> decode(std::span<const std::byte> bytes);

}  // namespace suiro::net
