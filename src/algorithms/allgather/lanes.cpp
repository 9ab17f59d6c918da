// SPDX-License-Identifier: BSD-3-Clause
// Lanes: ranks of a node tell each other their blocks; the blocks of nodes go round a ring of
// nodes, cut in as many lanes as the smallest node has ranks, each driven by one rank of every
// node, which hands on what comes to the others of its node.
#include "algorithms/parts/lanes.hpp"

#include "algorithms/allgather/allgather.hpp"

namespace suiro {

namespace {

Schedule build_allgather_lanes(const Call& call, const Parameters& parameters) {
  return named(allgather_lanes, call, parameters, gather_in_lanes(call, parameters));
}

}  // namespace

constinit const Algorithm allgather_lanes = {
    .collective = "allgather",
    .name = "lanes",
    .summary = "Every rank drives a ring of nodes with its share of its node's blocks.",
    .source = "suiro",
    .cost_text = "(N - 1) messages of M in time, of a ranks at once; (P - a) M through every port",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::port_optimal>,
    .cost = nullptr,
    .build = build_allgather_lanes,
};

Schedule gather_in_lanes(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const int ranks = call.topology.ranks();
  const std::int64_t kept = kept_for_node(call.topology);  // reversed, it is reduce_scatter
  const std::int64_t pieces = ring_pieces(call.bytes, 1, call, parameters, kept);
  const Groups places = numbered(nodes);
  const std::vector<int> order = node_order(call.topology, 0);
  const auto owned = [order](int place) { return std::vector<int>{order[place]}; };
  Schedule whole =
      overlapped(own_block(ranks, pieces), relabelled(spread(places, owned, pieces), order), 0);
  whole.pieces = pieces;
  return whole;
}

}  // namespace suiro
