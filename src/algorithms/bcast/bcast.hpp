// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/compose.hpp"
#include "algorithms/segments.hpp"
#include "algorithms/tree.hpp"

namespace suiro {

extern const Algorithm bcast_node_pipeline;
extern const Algorithm bcast_pipeline;

}  // namespace suiro
