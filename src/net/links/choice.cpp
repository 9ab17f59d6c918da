// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/choice.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace suiro::net {
namespace {

/// A link is asked for so much at a time that it takes it this long, within limits: shorter chunks
/// cost too much of that time in words, longer ones leave other links idle behind the last.
constexpr double shortest_chunk_ns = 500'000;
constexpr double longest_chunk_ns = 10'000'000;
constexpr std::uint64_t least_chunk = 8 << 10;
constexpr std::uint64_t usual_chunk = 64 << 10;
/// By so much a link that others use must be through earlier, or else we would only be in each
/// other's way: what is known of rates is wrong by up to a quarter either way.
constexpr double reluctance = 1.5;

/// The next chunk for one of several streams: its part of half of what is left.
std::uint64_t chunk(std::uint64_t left, const ChunkLimits& limits, double part) {
  const auto wished = static_cast<std::uint64_t>(static_cast<double>(left) / 2 * part);
  const std::uint64_t length = std::clamp(wished, limits.shortest, limits.longest);
  return left < length + limits.shortest / 2 ? left : length;
}

}  // namespace

double Load::end_ns(std::uint64_t more, bool preferred) const {
  return (bytes + static_cast<double>(more)) / rate * (crowded && !preferred ? reluctance : 1);
}

ChunkLimits chunk_limits(double rate, std::uint64_t chunk_bytes) {
  const std::uint64_t most = std::max(chunk_bytes, usual_chunk);
  if (rate == 0) return {.shortest = usual_chunk, .longest = most};
  const auto carried = [rate](double ns) { return static_cast<std::uint64_t>(rate * ns); };
  return {.shortest = std::clamp(carried(shortest_chunk_ns), least_chunk, usual_chunk),
          .longest = std::clamp(carried(longest_chunk_ns), usual_chunk, most)};
}

/// Of the streams that have not enough to do the one that would be through first with its next
/// chunk; none if another would sooner be through with all that waits: that one has enough to do,
/// and when it is through with a chunk, this is asked again. So each link is looked at once. What
/// others have on it becomes less from one look to the next, and a stream that were slower than
/// itself a moment later would get nothing, and nobody would ask again.
/// What is left of a message goes to the preferred one at once if no other is through first.
std::optional<Choice> choose(std::span<const Candidate> candidates, std::uint64_t left,
                             std::uint64_t planned, bool shares) {
  // Of streams that would end at once, one on the preferred link, and of these who has less.
  const auto rank = [](double end, const Candidate& candidate) {
    return std::tuple(end, candidate.preference, candidate.outstanding);
  };
  double rates = 0;
  for (const Candidate& candidate : candidates) rates += candidate.load.rate;
  const bool alone = candidates.size() == 1 && !shares;
  constexpr double never = std::numeric_limits<double>::infinity();
  double best_end = never, others_end = never, all_end = never;
  const Candidate* best = nullptr;
  std::uint64_t length = 0;
  for (const Candidate& one : candidates) {
    const std::uint64_t here = alone ? left : chunk(left, one.chunks, one.load.rate / rates);
    const double end = one.load.end_ns(here, one.preferred);
    all_end = std::min(all_end, one.load.end_ns(planned, one.preferred));
    if (!one.preferred) others_end = std::min(others_end, end);
    if (!alone && one.has_enough) continue;
    if (best != nullptr && rank(end, one) >= rank(best_end, *best)) continue;
    best = &one;
    best_end = end;
    length = here;
  }
  if (best == nullptr || best_end > all_end) return std::nullopt;
  const bool whole = best->preferred && left <= 2 * best->chunks.longest &&
                     best->load.end_ns(left, true) <= others_end;
  if (whole && shares) length = left;
  return Choice{.number = best->number, .length = length};
}

}  // namespace suiro::net
