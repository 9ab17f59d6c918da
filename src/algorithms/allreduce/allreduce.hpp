// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/compose.hpp"
#include "algorithms/doubling.hpp"
#include "algorithms/ring.hpp"
#include "algorithms/segments.hpp"
#include "algorithms/tree.hpp"

namespace suiro {

extern const Algorithm allreduce_extended_rabenseifner;
extern const Algorithm allreduce_lanes;
extern const Algorithm allreduce_lanes_halving;
extern const Algorithm allreduce_node_leader;
extern const Algorithm allreduce_nonoverlapping;
extern const Algorithm allreduce_pipeline;
extern const Algorithm allreduce_rabenseifner;
extern const Algorithm allreduce_recursive_doubling;
extern const Algorithm allreduce_ring;
extern const Algorithm allreduce_shared_lanes;
extern const Algorithm allreduce_shared_leader;
extern const Algorithm allreduce_twotier;

}  // namespace suiro
