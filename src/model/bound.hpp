// SPDX-License-Identifier: BSD-3-Clause
// What no algorithm can beat: a node's bytes must cross its links. Rounds and latencies will refine
// it.
#pragma once

#include <cstdint>

#include "topology/topology.hpp"

namespace suiro {

/// Seconds that an all-to-all of `block_bytes` bytes per block takes at least: the longest time
/// that any node's links need for the blocks that leave it. As many blocks enter a node as leave
/// it, so one direction is enough. `link_goodput_Bps` is what one link carries of the user's bytes
/// per second; it must be positive.
double alltoall_bound_s(const Topology& topology, std::int64_t block_bytes,
                        double link_goodput_Bps);

}  // namespace suiro
