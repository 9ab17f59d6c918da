// SPDX-License-Identifier: BSD-3-Clause
// A header from the wire is refused, or is within every limit and the only one with these bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "expect.hpp"
#include "net/protocol/frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace suiro::net;
  using suiro::fuzz::expect;
  std::span input(reinterpret_cast<const std::byte*>(data), size);
  if (size < header_bytes_min || size < header_length(input.first(header_bytes_min))) return 0;
  input = input.first(header_length(input));
  expect(input.size() <= header_bytes_max, "there is a place for it");
  const auto header = decode(input);
  if (!header) return 0;
  expect(std::ranges::equal(encode(*header).span(), input), "encode(decode(b)) equals b");
  expect(header->payload_bytes <= max_payload_bytes, "a payload is short");
  expect(header->message_bytes <= max_message_bytes, "a message has an end");
  const bool request = header->kind == FrameKind::request;
  expect(request || header->kind == FrameKind::eager || header->payload_bytes == 0,
         "who has payload");
  expect(!request || header->payload_bytes == 0 || header->payload_bytes < header->message_bytes,
         "a request's payload is not the whole");
  const bool of_long_ones = request || header->kind == FrameKind::grant;
  expect(header->ahead_bytes <= (of_long_ones ? max_payload_bytes : 0),
         "only of long messages something goes ahead");
  expect(!request || header->ahead_bytes <= header->message_bytes, "no more than there is");
  expect(!header->only_whole || (header->ahead_bytes > 0 && header->kind == FrameKind::grant),
         "whole is what may go ahead");
  expect(header->stream < max_streams, "the stream can exist");
  if (header->kind == FrameKind::grant) {
    expect(header->tag <= max_message_bytes - header->message_bytes, "a grant has an end");
  }
  return 0;
}
