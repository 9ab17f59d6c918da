// SPDX-License-Identifier: BSD-3-Clause
// What measurements found that the model leaves out: the time of an all-to-all algorithm over the
// model's, where nothing is blocked or lost (`suiro bench alltoall --lab 4x4-voq`). It is the only
// thing taken over from a lab, and makes suiro only more careful.
#pragma once

#include <cstdint>

#include "algorithms/catalog.hpp"

namespace suiro {

/// For blocks of so many bytes.
double residual(const Algorithm& algorithm, std::int64_t bytes);

}  // namespace suiro
