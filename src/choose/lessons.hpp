// SPDX-License-Identifier: BSD-3-Clause
// What earlier jobs have shown, as `suiro` tells it: an array of
// {"node_of_rank": [0, 1], "collective": "bcast", "bytes": 65536, "faster": "lanes:segment=4096",
//  "reason": "measured ...", "slower": ["ring"]}.
#pragma once

#include <string_view>

#include "choose/choose.hpp"

namespace suiro {

/// What is of another version is left out, and `reductions` if they are not wanted. False where the
/// text is no array of JSON. Throws std::bad_alloc.
bool recall_lessons(Chooser& chooser, std::string_view text, bool reductions = true);

}  // namespace suiro
