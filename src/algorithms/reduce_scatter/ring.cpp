// SPDX-License-Identifier: BSD-3-Clause
// Ring: the ring of allgather backwards. Sums of all blocks go round the ranks in node order, and
// each comes to its rank last.
#include "algorithms/reduce_scatter/reduce_scatter.hpp"

namespace suiro {

namespace {

Schedule build_reduce_scatter_block_ring(const Call& call, const Parameters& parameters) {
  return named(reduce_scatter_block_ring, call, parameters,
               reversed(gather_round(call, parameters), 1));
}

}  // namespace

constinit const Algorithm reduce_scatter_block_ring = {
    .collective = "reduce_scatter_block",
    .name = "ring",
    .summary = "The sums of all blocks go round a ring of ranks in node order.",
    .source = "Open MPI ring",
    .cost_text =
        "P - 1 messages of M in time, each in k pieces; (P - 1) M through every port; scratch for "
        "9 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round>,
    .cost = nullptr,
    .build = build_reduce_scatter_block_ring,
};

}  // namespace suiro
