// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/allgather/allgather.hpp"
#include "algorithms/declared.hpp"

namespace suiro {}  // namespace suiro
