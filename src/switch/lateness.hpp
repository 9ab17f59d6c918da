// SPDX-License-Identifier: BSD-3-Clause
// How late events were handled: a histogram in 16 steps per power of two, so percentiles are right
// within 6 %.
#pragma once

#include <array>
#include <cstdint>

#include "switch/fabric.hpp"

namespace suiro {

class Lateness {
 public:
  void add(Time late);
  /// The lateness that this fraction of the events did not exceed.
  Time percentile(double fraction) const;
  Time max() const { return max_; }
  std::int64_t events() const { return events_; }

 private:
  static constexpr int steps_log2 = 4;
  static constexpr std::size_t buckets = std::size_t{64} << steps_log2;
  static std::size_t bucket(std::uint64_t late);
  static std::uint64_t upper_end(std::size_t bucket);

  std::array<std::int64_t, buckets> counts_{};
  std::int64_t events_ = 0;
  Time max_ = 0;
};

}  // namespace suiro
