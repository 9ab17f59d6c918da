// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/segments.hpp"

namespace suiro {

/// Over ranks 0 .. size - 1: in step i every rank takes in what the rank 2^i before it has.
Schedule doubling_scan(int size);

/// What comes before every rank: all hand theirs to the next rank, and `scan` works on that, over
/// all ranks but the first.
Schedule exclusive(Schedule scan);

}  // namespace suiro
