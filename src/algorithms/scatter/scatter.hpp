// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/gathering.hpp"

namespace suiro {}  // namespace suiro
