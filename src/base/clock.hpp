// SPDX-License-Identifier: BSD-3-Clause
// The clock of everything that is not simulated.
#pragma once

#include <time.h>

#include <cstdint>
#include <limits>

namespace suiro {

/// A time that does not come.
constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();

inline std::int64_t ns_by(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Never goes back.
inline std::int64_t monotonic_ns() { return ns_by(CLOCK_MONOTONIC); }

/// Of a processor, for the thread that asks.
inline std::int64_t worked_ns() { return ns_by(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace suiro
