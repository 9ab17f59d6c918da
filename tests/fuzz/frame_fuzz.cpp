// SPDX-License-Identifier: BSD-3-Clause
// Whatever a host hands over, the switch cuts it into MTU frames that make up the frame, or refuses
// it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "expect.hpp"
#include "switch/frame.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using suiro::fuzz::expect;
  suiro::OffloadHeader header;
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  const std::span input(reinterpret_cast<const std::byte*>(data), size);
  const std::span frame = input.subspan(sizeof header);
  const auto shape = suiro::parse_frame(frame, header);
  if (!shape) return 0;
  expect(shape->bytes == static_cast<int>(frame.size()), "the whole frame is counted");
  expect(shape->segments >= 1, "there is a segment");
  expect(shape->segments <= shape->bytes, "segments are not empty");
  std::int64_t payload_bytes = 0;
  for (int index = 0; index < shape->segments; ++index) {
    const int bytes = shape->segment_bytes(index);
    expect(bytes > shape->header_bytes || shape->segments == 1, "a segment has payload");
    payload_bytes += bytes - shape->header_bytes;
  }
  expect(payload_bytes == shape->bytes - shape->header_bytes, "the segments make up the frame");
  return 0;
}
