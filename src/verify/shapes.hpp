// SPDX-License-Identifier: BSD-3-Clause
// The small placements on which the catalog is proven.
#pragma once

#include <vector>

#include "topology/topology.hpp"

namespace suiro {

/// Placements of `ranks` ranks: each number of nodes that divides it, in block, round-robin and a
/// random order, the last with one and with two links per node, and uneven placements, two for each
/// rank. The random ones are the same in every run.
std::vector<Topology> shapes(int ranks);

}  // namespace suiro
