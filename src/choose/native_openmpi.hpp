// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI's decision functions answer; for the files beside this one.
#pragma once

#include <cstdint>
#include <string>

#include "choose/native.hpp"

namespace suiro::openmpi {

/// By Open MPI's own name; empty where it decides nothing.
struct Decided {
  std::string name = {};
  std::int64_t segment = 0;  // bytes; 0: nothing is segmented
};

/// Up to release 4.0.
Decided decided_before_4_1(const NativeCall& call);

}  // namespace suiro::openmpi
