// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/compose.hpp"
#include "algorithms/segments.hpp"

namespace suiro {

extern const Algorithm exscan_butterfly;
extern const Algorithm exscan_linear;
extern const Algorithm exscan_node_aware;
extern const Algorithm exscan_recursive_doubling;
extern const Algorithm scan_butterfly;
extern const Algorithm scan_linear;
extern const Algorithm scan_node_aware;
extern const Algorithm scan_recursive_doubling;

/// Over ranks 0 .. size - 1: in step i every rank takes in what the rank 2^i before it has.
Schedule doubling_scan(int size);

/// What comes before every rank: all hand theirs to the next rank, and `scan` works on that, over
/// all ranks but the first.
Schedule exclusive(Schedule scan);

}  // namespace suiro
