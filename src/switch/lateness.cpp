// SPDX-License-Identifier: BSD-3-Clause
#include "switch/lateness.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace suiro {

void Lateness::add(Time late) {
  late = std::max<Time>(late, 0);
  ++counts_[bucket(static_cast<std::uint64_t>(late))];
  ++events_;
  max_ = std::max(max_, late);
}

/// Small values have a bucket each; above, the bits after the highest one choose the step within
/// its power of two.
std::size_t Lateness::bucket(std::uint64_t late) {
  constexpr std::uint64_t steps = 1U << steps_log2;
  if (late < steps) return late;
  const int shift = std::bit_width(late) - 1 - steps_log2;
  return (static_cast<std::size_t>(shift) << steps_log2) + (late >> shift);
}

std::uint64_t Lateness::upper_end(std::size_t bucket) {
  constexpr std::size_t steps = std::size_t{1} << steps_log2;
  if (bucket < steps) return bucket;
  const std::size_t shift = (bucket >> steps_log2) - 1;
  return (((bucket & (steps - 1)) + steps + 1) << shift) - 1;
}

Time Lateness::percentile(double fraction) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(fraction * static_cast<double>(events_)));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    seen += counts_[i];
    if (seen >= wanted && seen > 0) return std::min(static_cast<Time>(upper_end(i)), max_);
  }
  return 0;
}

}  // namespace suiro
