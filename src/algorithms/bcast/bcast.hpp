// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/compose.hpp"
#include "algorithms/segments.hpp"
#include "algorithms/tree.hpp"

namespace suiro {

extern const Algorithm bcast_binary;
extern const Algorithm bcast_binomial;
extern const Algorithm bcast_chain;
extern const Algorithm bcast_extended_van_de_geijn;
extern const Algorithm bcast_farfirst;
extern const Algorithm bcast_knomial;
extern const Algorithm bcast_linear;
extern const Algorithm bcast_node_pipeline;
extern const Algorithm bcast_pipeline;
extern const Algorithm bcast_scatter_allgather;
extern const Algorithm bcast_shared_tree;
extern const Algorithm bcast_split_binary;

/// The root has the message in its send buffer, every other rank in its receive buffer.
inline BlockMap held_at(int root) {
  return [root](int rank, Blocks blocks) {
    blocks.buffer = rank == root ? Buffer::send : Buffer::receive;
    return blocks;
  };
}

}  // namespace suiro
