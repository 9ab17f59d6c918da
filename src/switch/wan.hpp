// SPDX-License-Identifier: BSD-3-Clause
// One way of a WAN: MTU frames wait in the buffer of a router, leave it at the WAN's rate, and
// arrive after its delay. What finds the buffer full is dropped; the WAN itself may lose frames,
// too.
#pragma once

#include <cstdint>
#include <random>

#include "switch/network.hpp"
#include "switch/ring_queue.hpp"

namespace suiro {

struct WanConfig {
  std::int64_t rate_bps = 0;
  Time delay = 0;  // one way
  std::int64_t buffer_bytes = 0;
  double loss = 0;  // of MTU frames
};

class Wan {
 public:
  struct Arrival {
    Segment segment;
    bool lost = false;
  };

  /// Ways with different seeds lose frames independently of each other.
  Wan(const WanConfig& config, std::uint32_t seed) : config_(config), random_(seed) {}

  /// Takes a frame; false if it was dropped. Times never decrease.
  bool send(Time now, const Segment& segment);
  /// When the next frame arrives, or would have arrived; `never` if none is under way.
  Time next_arrival() const { return on_the_way_.empty() ? never : on_the_way_[0].time; }
  /// The frame of next_arrival().
  Arrival receive();

  const WanConfig& config() const { return config_; }
  const PortCounters& counters() const { return counters_; }
  std::int64_t lost() const { return lost_; }
  void reset_counters();
  void count_drop(const Segment& segment);

 private:
  struct Flight {
    Time time = 0;
    Arrival arrival;
  };

  Time transmission_time(std::int64_t bytes) const;
  bool loses();

  WanConfig config_;
  std::minstd_rand random_;
  Time line_busy_until_ = 0;
  RingQueue<Flight> on_the_way_;
  PortCounters counters_;
  std::int64_t lost_ = 0;
};

}  // namespace suiro
