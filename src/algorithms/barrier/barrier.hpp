// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/doubling.hpp"
#include "algorithms/parts/tree.hpp"

namespace suiro {

/// Messages without payload over ranks 0 .. size - 1: round i, to the rank 2^i further.
Schedule disseminate(int size);

}  // namespace suiro
