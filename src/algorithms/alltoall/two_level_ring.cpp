// SPDX-License-Identifier: BSD-3-Clause
// 2-Level Ring: a ring over nodes around a ring over the ranks of a node. The outer step j chooses
// the node j places to the right (to send) and to the left (to receive); the inner step k chooses
// the rank there. So at every moment a node sends to one node and receives from one node, and no
// packet waits at the switch behind one for another port.
//
// Half-way round, a node sends to the node that it receives from. There the ranks of the lower node
// are one step ahead in their choice (`stagger`), so that no two ranks send to each other at the
// same time: on TCP they share one connection, where the answer to a rendezvous waits behind the
// data. (With an odd number of ranks per node, they still do so in one round.)
//
// Rounds of one outer step go to the same node and may be in flight together, up to `window` (1 is
// the paper's pseudo code). Those of two outer steps may not: then the first round of each outer
// step has a fence. Cost: P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include <memory>

#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameter_specs[] = {
    {.name = "window",
     .minimum = 0,
     .maximum = 64,
     .fallback = 1,
     .meaning = "rounds of one outer step in flight together; 0 means as many as ranks per node"},
    {.name = "stagger",
     .minimum = 0,
     .maximum = 1,
     .fallback = 1,
     .meaning = "1 keeps opposite nodes' ranks from sending to each other; 0 is the paper's order"},
};

constexpr Property property_list[] = {Property::one_peer_per_node_per_round};

std::string unsupported_two_level_ring(const Topology& topology) {
  if (topology.even()) return {};
  return "needs the same number of ranks on every node, and here there are " + topology.describe();
}

Schedule build_two_level_ring(const Topology& topology, const Parameters& parameters) {
  const int nodes = topology.nodes();
  const int ppn = topology.max_ppn();
  const std::int64_t window = parameters.at("window");
  Schedule schedule = alltoall::header(alltoall_two_level_ring, topology, parameters);
  schedule.rounds = topology.ranks();
  schedule.window = window == 0 ? ppn : window;
  schedule.function =
      [nodes, ppn, fenced = schedule.window > 1, staggered = parameters.at("stagger") != 0,
       map = std::make_shared<const Topology>(topology)](int me, std::int64_t i, Round& round) {
        const int node = map->node(me);
        const int local = map->local(me);
        const int j = static_cast<int>(i / ppn);
        const int k = static_cast<int>(i % ppn);
        const int right = (node + j) % nodes;
        const int left = (node - j + nodes) % nodes;
        const bool opposite = staggered && right == left;
        const int target = map->rank(right, (local + k + (opposite && node < right)) % ppn);
        const int source = map->rank(left, (local - k - (opposite && node > left) + 2 * ppn) % ppn);
        round.fence = fenced && j > 0 && k == 0;
        alltoall::exchange(me, target, source, round);
      };
  return schedule;
}

Cost cost_two_level_ring(const Topology& topology, const Parameters&) {
  return {.rounds = topology.ranks(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_two_level_ring = {
    .collective = "alltoall",
    .name = "two_level_ring",
    .summary = "A ring over nodes around a ring over local ranks: one peer node at a time.",
    .source = "2-Level Ring paper (2010), figure 7",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = parameter_specs,
    .properties = property_list,
    .unsupported = unsupported_two_level_ring,
    .cost = cost_two_level_ring,
    .build = build_two_level_ring,
};

}  // namespace suiro
