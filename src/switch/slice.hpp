// SPDX-License-Identifier: BSD-3-Clause
// Cuts consecutive MTU frames out of a super-frame, as a network card's segmentation would: the
// headers are copied and corrected, the payload stays where it is. The checksum over the payload
// stays "to be filled in", as in the original.
#pragma once

#include <array>

#include "switch/frame.hpp"

namespace suiro {

/// MTU frames [first, first + count) of a super-frame as one frame: its own headers, then a range
/// of the original.
struct Slice {
  static constexpr std::size_t headers_bytes_max = 14 + 60 + 60;
  OffloadHeader offload;
  std::array<std::byte, headers_bytes_max> headers;
  std::size_t headers_bytes = 0;
  std::span<const std::byte> payload;
};

/// `shape` is what parse_frame said of `frame`, which was a super-frame; the range is not empty and
/// within it.
Slice slice(std::span<const std::byte> frame, const FrameShape& shape, const OffloadHeader& header,
            int first, int count);

}  // namespace suiro
