// SPDX-License-Identifier: BSD-3-Clause
// Time as calls are measured by it.
#pragma once

#include "base/clock.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"

namespace suiro::mpi {

/// Seconds since an arbitrary moment. Volatile: nothing may be worked out before or after the usual
/// arithmetic is in force.
inline double now_s() {
  const UsualArithmetic usual;
  const volatile double now = 1e-9 * static_cast<double>(monotonic_ns());
  return now;
}

/// Since such a moment.
inline double elapsed_s(double begin_s) {
  const double now = now_s();
  const UsualArithmetic usual;
  const volatile double elapsed = now - begin_s;
  return elapsed;
}

}  // namespace suiro::mpi
