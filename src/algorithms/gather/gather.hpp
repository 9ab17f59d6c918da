// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/gathering.hpp"

namespace suiro {

extern const Algorithm gather_binomial;
extern const Algorithm gather_counterparts;
extern const Algorithm gather_linear;
extern const Algorithm gather_linear_capped;
extern const Algorithm gather_node_leader;

}  // namespace suiro
