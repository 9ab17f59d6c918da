// SPDX-License-Identifier: BSD-3-Clause
// Time as calls are measured by it.
#pragma once

#include "base/clock.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"

namespace suiro::mpi {

/// Seconds since an arbitrary moment.
inline double now_s() {
  const UsualArithmetic usual;
  return 1e-9 * static_cast<double>(monotonic_ns());
}

/// Since such a moment.
inline double elapsed_s(double begin_s) {
  const UsualArithmetic usual;
  return 1e-9 * static_cast<double>(monotonic_ns()) - begin_s;
}

}  // namespace suiro::mpi
