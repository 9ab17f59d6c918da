// SPDX-License-Identifier: BSD-3-Clause
// Checks that a link really kept its rate: no window of 1 ms may carry more than the rate allows
// and two MTU frames.
#pragma once

#include "switch/fabric.hpp"
#include "switch/ring_queue.hpp"

namespace suiro {

class RateWindow {
 public:
  RateWindow(std::int64_t rate_bps, int mtu_bytes);
  /// These bytes of the wire were handed to the host at this time; times never decrease.
  void add(Time time, int bytes);
  /// Disjoint windows that carried too much.
  std::int64_t violations() const { return violations_; }
  void reset() { violations_ = 0; }

 private:
  static constexpr Time length = second / 1000;
  struct Entry {
    Time time = 0;
    int bytes = 0;
  };

  std::int64_t limit_bytes_;
  RingQueue<Entry> entries_;
  std::int64_t bytes_ = 0;
  std::int64_t violations_ = 0;
};

}  // namespace suiro
