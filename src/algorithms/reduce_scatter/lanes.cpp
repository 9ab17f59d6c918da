// SPDX-License-Identifier: BSD-3-Clause
// Lanes: those of allgather backwards. Ranks of a node give each lane what they have of it, lanes
// go round a ring of nodes, and every rank gets its block from its node.
#include "algorithms/reduce_scatter/reduce_scatter.hpp"

namespace suiro {

namespace {

Schedule build_reduce_scatter_block_lanes(const Call& call, const Parameters& parameters) {
  return named(
      reduce_scatter_block_lanes, call, parameters,
      reversed(gather_in_lanes(call, parameters), most_in_spread(nodes_from(call.topology, 0))));
}

}  // namespace

constinit const Algorithm reduce_scatter_block_lanes = {
    .collective = "reduce_scatter_block",
    .name = "lanes",
    .summary =
        "Every rank drives a ring of nodes with its share of their blocks, summed in its node.",
    .source = "suiro",
    .cost_text =
        "(N - 1) messages of M in time, of a ranks at once; (P - a) M through every port; scratch "
        "for 18 a segments, on one node 2 P M at most",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::port_optimal>,
    .cost = nullptr,
    .build = build_reduce_scatter_block_lanes,
};

}  // namespace suiro
