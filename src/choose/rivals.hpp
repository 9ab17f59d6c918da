// SPDX-License-Identifier: BSD-3-Clause
// What of the catalog is worth a play against native.
#pragma once

#include <vector>

#include "choose/native_courses.hpp"

namespace suiro {

/// Copies blocks to join them into fewer messages.
bool joins(const Collective& collective, const Algorithm& algorithm);

/// Each with its fallbacks, and with all other values that are best somewhere. `native`: on each
/// network of the stage.
std::vector<Candidate> rivals(const Stage& stage, const std::vector<Foretold>& native);

}  // namespace suiro
