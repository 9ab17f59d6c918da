// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/segments.hpp"

namespace suiro {

/// Over ranks 0 .. size - 1: in step i every rank takes in what the rank 2^i before it has.
Schedule doubling_scan(int size);

/// Over ranks 0 .. size - 1, which exchange the sums of ever larger groups. Without a rank's own if
/// `is_exclusive`: then rank 0 is given nothing.
Schedule butterfly(int size, bool is_exclusive);

/// Ranks that follow each other on one node, from `first` on, which is 0 there.
Groups runs(const Topology& topology, int first);

/// What comes before every rank: all hand theirs to the next rank, and `scan` works on that, over
/// all ranks but the first.
Schedule exclusive(Schedule scan);

}  // namespace suiro
