// SPDX-License-Identifier: BSD-3-Clause
// Time, and a place before all others on the processor: a switch that comes late is a slower
// switch.
#pragma once

#include <string>

#include "switch/fabric.hpp"

namespace suiro {

/// The monotonic clock.
Time clock_now();

/// Asks for the best scheduling that is permitted, keeps the program in memory; returns what was
/// granted.
std::string become_realtime();

}  // namespace suiro
