// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/gathering.hpp"

namespace suiro {

extern const Algorithm scatter_binomial;
extern const Algorithm scatter_linear;
extern const Algorithm scatter_linear_capped;
extern const Algorithm scatter_node_leader;

}  // namespace suiro
