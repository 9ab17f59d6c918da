// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/parts/ring.hpp"

namespace suiro {

/// Recursive doubling over ranks 0 .. size - 1: in step s members of a Pairing that are 2^s apart
/// exchange all that they have, and both reduce it, the lower one's first. The result is in the
/// receive buffer of every rank, and its operands are in the order of ranks.
Schedule double_up(int size, const Range& what = {0, 1});

}  // namespace suiro
