// SPDX-License-Identifier: BSD-3-Clause
// Decisions must be the same on all ranks, to the bit, whatever the program made of its processor's
// arithmetic on one of them: another direction of rounding, subnormal numbers that are flushed to
// zero, exceptions that trap.
#pragma once

#include <cfenv>

namespace suiro::mpi {

/// Floating-point arithmetic is as in any program at its start; the caller's, with the exceptions
/// that it has raised so far, is put back at the end.
class UsualArithmetic {
 public:
  UsualArithmetic() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~UsualArithmetic() { std::fesetenv(&callers_); }
  UsualArithmetic(const UsualArithmetic&) = delete;
  UsualArithmetic& operator=(const UsualArithmetic&) = delete;

 private:
  std::fenv_t callers_;
};

}  // namespace suiro::mpi
