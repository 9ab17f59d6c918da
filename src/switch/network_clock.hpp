// SPDX-License-Identifier: BSD-3-Clause
// The network's own time: the real clock, less the time for which the network stood still. It
// stands still for as long as the program is more than one MTU time late. A program that caught up
// with all of its delay would for that while bring hosts more than their links carry; as it is, no
// window of any length brings them more than the rate and two MTU frames.
#pragma once

#include <algorithm>

#include "switch/fabric.hpp"

namespace suiro {

class NetworkClock {
 public:
  explicit NetworkClock(Time late_max) : late_max_(late_max) {}

  Time network(Time real) const { return real - offset_; }
  Time real(Time network) const { return network == never ? never : network + offset_; }

  /// An event that was due at this time of the network was over at this real time; returns how
  /// late. What exceeds the allowed is not made up for.
  Time finish(Time due, Time real) {
    const Time late = network(real) - due;
    offset_ += std::max<Time>(late - late_max_, 0);
    return late;
  }

  /// How long the network has stood still since the last reset.
  Time stopped() const { return offset_ - offset_at_reset_; }
  void reset_counters() { offset_at_reset_ = offset_; }

 private:
  Time late_max_;
  Time offset_ = 0;
  Time offset_at_reset_ = 0;
};

}  // namespace suiro
