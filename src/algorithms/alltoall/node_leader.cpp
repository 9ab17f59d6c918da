// SPDX-License-Identifier: BSD-3-Clause
// Node leader (hierarchical): one rank per node talks to the network, for all (leaders.hpp). The
// fewest messages and connections; the leader's copies and the node's memory are the limit.
// Cost: N+2 rounds; a(P-a) blocks on the wire of a node of a ranks; scratch (3a-1)P at a leader.
#include "algorithms/alltoall/leaders.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec node_leader_parameters[] = {alltoall::leaders_window};

Schedule build_alltoall_node_leader(const Call& call, const Parameters& parameters) {
  return alltoall::build_leaders(alltoall_node_leader, call, parameters, 1);
}

Cost cost_node_leader(const Topology& topology, const Parameters&) {
  return alltoall::cost_leaders(topology, 1);
}

}  // namespace

constinit const Algorithm alltoall_node_leader = {
    .collective = "alltoall",
    .name = "node_leader",
    .summary = "One rank per node gathers, exchanges with the other nodes, and scatters.",
    .source = "2-Level Ring paper (2010), references 15 and 16",
    .cost_text =
        "N+2 rounds; a(P-a) blocks on the wire of a node of a ranks; scratch (3a-1)P at a "
        "leader",
    .parameters = node_leader_parameters,
    .properties = {},
    .cost = cost_node_leader,
    .build = build_alltoall_node_leader,
};

}  // namespace suiro
