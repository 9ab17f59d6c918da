// SPDX-License-Identifier: BSD-3-Clause
// Time as calls are measured by it.
#pragma once

#include "base/clock.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"

namespace suiro::mpi {

/// Volatile: nothing may be worked out before or after the usual arithmetic is in force.
inline double seconds_of(std::int64_t ns) {
  const UsualArithmetic usual;
  const volatile double seconds = 1e-9 * static_cast<double>(ns);
  return seconds;
}

/// Seconds since an arbitrary moment.
inline double now_s() { return seconds_of(monotonic_ns()); }

/// Seconds of a processor that this thread has had.
inline double worked_s() { return seconds_of(worked_ns()); }

/// Since such a moment.
inline double elapsed_s(double begin_s) {
  const double now = now_s();
  const UsualArithmetic usual;
  const volatile double elapsed = now - begin_s;
  return elapsed;
}

}  // namespace suiro::mpi
