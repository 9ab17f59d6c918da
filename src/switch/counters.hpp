// SPDX-License-Identifier: BSD-3-Clause
// What the switch saw, as one JSON document; docs/lab-switch.md describes each number.
#pragma once

#include <string>

#include "switch/config.hpp"
#include "switch/lateness.hpp"
#include "switch/tap_ports.hpp"

namespace suiro {

/// How well the program kept up.
struct LoopCounters {
  std::string scheduling;
  Time since = 0;             // of the last reset
  Time mtu_time = 0;          // of the fastest link of a host
  std::int64_t overruns = 0;  // events handled later than that
  Time stopped = 0;           // the network stood still, see NetworkClock
  std::int64_t turns = 0;
  Lateness lateness;
};

std::string counters_json(const SwitchConfig& config, const Network& network, const TapPorts& hosts,
                          const LoopCounters& loop, Time now, bool reset);

}  // namespace suiro
