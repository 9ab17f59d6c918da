// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/allgather/allgather.hpp"

namespace suiro {

extern const Algorithm reduce_scatter_block_bruck;
extern const Algorithm reduce_scatter_block_counterparts;
extern const Algorithm reduce_scatter_block_lanes;
extern const Algorithm reduce_scatter_block_pairwise;
extern const Algorithm reduce_scatter_block_recursive_halving;
extern const Algorithm reduce_scatter_block_ring;

}  // namespace suiro
