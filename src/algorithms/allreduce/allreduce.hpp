// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/doubling.hpp"
#include "algorithms/parts/ring.hpp"
#include "algorithms/parts/segments.hpp"
#include "algorithms/parts/tree.hpp"

namespace suiro {}  // namespace suiro
