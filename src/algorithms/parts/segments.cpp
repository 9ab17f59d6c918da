// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/segments.hpp"

#include <algorithm>
#include <cmath>

namespace suiro {

namespace {

constexpr std::int64_t frame_bytes = 1448;  // of TCP's data in a frame of 1500 bytes
constexpr std::int64_t segment_max = 256 << 10;
constexpr std::int64_t segments_max = 1 << 20;

}  // namespace

std::int64_t segment_worth_starting(const Link& link) {
  return static_cast<std::int64_t>(link.startup_s * link.Bps);
}

std::int64_t longest_segment(const Link& link) {
  return std::clamp(segment_worth_starting(link), eager_bytes, segment_max);
}

std::int64_t pipeline_segment(std::int64_t bytes, std::int64_t stages, const Link& link) {
  if (stages <= 1) return std::max<std::int64_t>(bytes, 1);
  const double best = std::sqrt(static_cast<double>(bytes) * link.startup_s * link.Bps /
                                static_cast<double>(stages - 1));
  const auto frames = std::max<std::int64_t>(std::llround(std::ceil(best / frame_bytes)), 1);
  return std::min(frames * frame_bytes - header_bytes, longest_segment(link));
}

std::int64_t pieces_of(std::int64_t bytes, std::int64_t segment) {
  const std::int64_t least = std::max<std::int64_t>(segment, 1);  // of nothing, formulas make none
  return std::clamp<std::int64_t>((bytes + least - 1) / least, 1, segments_max);
}

std::int64_t segments_of(std::int64_t bytes, std::int64_t stages, const Call& call,
                         const Parameters& parameters) {
  const std::int64_t given = parameters.at(std::string(segment_parameter));
  return pieces_of(bytes, given > 0 ? given : pipeline_segment(bytes, stages, call.link));
}

}  // namespace suiro
