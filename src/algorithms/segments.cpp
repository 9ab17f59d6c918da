// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/segments.hpp"

#include <algorithm>
#include <cmath>

namespace suiro {

namespace {

constexpr std::int64_t frame_bytes = 1448;  // of TCP's data in a frame of 1500 bytes
// What an MPI puts in front of a message. A segment that fills its frames without it would send one
// more, nearly empty frame.
constexpr std::int64_t header_bytes = 128;
constexpr std::int64_t segment_max = 256 << 10;
constexpr std::int64_t segments_max = 1 << 20;

}  // namespace

std::int64_t pipeline_segment(std::int64_t bytes, std::int64_t stages, const Link& link) {
  if (stages <= 1) return std::max<std::int64_t>(bytes, 1);
  const double best = std::sqrt(static_cast<double>(bytes) * link.startup_s * link.Bps /
                                static_cast<double>(stages - 1));
  const auto frames = static_cast<std::int64_t>(std::ceil(best / frame_bytes));
  return std::min(frames * frame_bytes, segment_max) - header_bytes;
}

std::int64_t pieces_of(std::int64_t bytes, std::int64_t segment) {
  return std::clamp<std::int64_t>((bytes + segment - 1) / segment, 1, segments_max);
}

std::int64_t segments_of(std::int64_t bytes, std::int64_t stages, const Call& call,
                         const Parameters& parameters) {
  const std::int64_t given = parameters.at(std::string(segment_parameter));
  return pieces_of(bytes, given > 0 ? given : pipeline_segment(bytes, stages, call.link));
}

}  // namespace suiro
