// SPDX-License-Identifier: BSD-3-Clause
// 2-Level Ring: a ring over nodes around a ring over the ranks of a node. The outer step j chooses
// the node j places to the right (to send) and to the left (to receive); the inner step k chooses
// the rank there. So at every moment a node sends to one node and receives from one node, and no
// packet waits at the switch behind one for another port.
//
// The paper has it for nodes with equal numbers of ranks; two_level.hpp says how it goes on for
// others.
//
// Nodes with different numbers of ranks are not done with an outer step at the same time. There
// ranks meet before the next one (`meet`), or the faster nodes would run ahead and share the links
// of the slower ones. Half-way round, a node sends to the node that it receives from, and there
// `stagger` matters (two_level.hpp). The paper's pseudo code is stagger=0, window=1. Cost: P
// rounds, on uneven nodes one more for each outer step; a(P-a) blocks on the wire of a node of a
// ranks; no scratch.
#include "algorithms/alltoall/two_level.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec two_level_ring_parameters[] = {
    {.name = "window",
     .minimum = 0,
     .maximum = 64,
     .fallback = 1,
     .meaning = "rounds of one outer step in flight together; 0 means as many as ranks per node"},
    {.name = "stagger",
     .minimum = 0,
     .maximum = 1,
     .fallback = 1,
     .meaning = "1 keeps two ranks from sending to each other at once; 0 is the paper's order"},
    {.name = "meet",
     .minimum = 0,
     .maximum = 1,
     .fallback = 1,
     .meaning = "1 lets ranks of uneven nodes begin each outer step together; 0 does not"},
};

bool ranks_meet(const Topology& topology, const Parameters& parameters) {
  return parameters.at("meet") != 0 && !topology.even();
}

Schedule build_alltoall_two_level_ring(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  return alltoall::build_two_level(alltoall_two_level_ring, call, parameters,
                                   {.peers = alltoall::ring_neighbours,
                                    .window = parameters.at("window"),
                                    .staggered = parameters.at("stagger") != 0,
                                    .meeting = ranks_meet(topology, parameters)});
}

Cost cost_two_level_ring(const Topology& topology, const Parameters& parameters) {
  Cost cost = alltoall::cost_two_level(topology, parameters);
  if (ranks_meet(topology, parameters)) cost.rounds += alltoall::outer_steps(topology);
  return cost;
}

}  // namespace

constinit const Algorithm alltoall_two_level_ring = {
    .collective = "alltoall",
    .name = "two_level_ring",
    .summary = "A ring over nodes around a ring over local ranks: one peer node at a time.",
    .source = "2-Level Ring paper (2010), figure 7; uneven nodes: suiro, docs/decisions/0009",
    .cost_text =
        "P rounds, on uneven nodes one more for each outer step; a(P-a) blocks on the "
        "wire of a node of a ranks; no scratch",
    .parameters = two_level_ring_parameters,
    .properties = having<Property::one_peer_per_node_per_round, Property::direct>,
    .cost = cost_two_level_ring,
    .build = build_alltoall_two_level_ring,
};

}  // namespace suiro
