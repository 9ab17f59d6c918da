// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/compose.hpp"
#include "algorithms/doubling.hpp"
#include "algorithms/tree.hpp"

namespace suiro {

extern const Algorithm barrier_dissemination;
extern const Algorithm barrier_node_leader;
extern const Algorithm barrier_recursive_doubling;
extern const Algorithm barrier_shared_leader;
extern const Algorithm barrier_site_leader;
extern const Algorithm barrier_tree;

/// Messages without payload over ranks 0 .. size - 1: round i, to the rank 2^i further.
Schedule disseminate(int size);

}  // namespace suiro
