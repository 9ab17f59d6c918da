// SPDX-License-Identifier: BSD-3-Clause
// 2-Level Pairwise: 2-Level Ring with pairs instead of a ring. In each outer step the nodes form
// pairs, and a node sends to the node that it receives from; every two nodes are a pair once. On
// TCP this matters: acknowledgements go the way of the data, so they never wait at the switch's
// input for the busy port of a third node (docs/decisions/0007). Within a pair the ranks are
// staggered (two_level.hpp).
//
// An odd number of nodes cannot all be in pairs, and goes on as a ring (peers.hpp).
// Cost: P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include "algorithms/alltoall/two_level.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec two_level_pairwise_parameters[] = {
    {.name = "window",
     .minimum = 0,
     .maximum = 64,
     .fallback = 2,
     .meaning = "rounds of one outer step in flight together; 0 means as many as ranks per node"},
};

Schedule build_alltoall_two_level_pairwise(const Call& call, const Parameters& parameters) {
  return alltoall::build_two_level(
      alltoall_two_level_pairwise, call, parameters,
      {.peers = alltoall::partners, .window = parameters.at("window")});
}

}  // namespace

constinit const Algorithm alltoall_two_level_pairwise = {
    .collective = "alltoall",
    .name = "two_level_pairwise",
    .summary =
        "Nodes in pairs, a ring over the ranks of a pair: acknowledgements meet no third node.",
    .source = "suiro, after the 2-Level Ring paper (2010); docs/decisions/0007",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = two_level_pairwise_parameters,
    .properties = having<Property::one_peer_per_node_per_round, Property::direct>,
    .cost = alltoall::cost_two_level,
    .build = build_alltoall_two_level_pairwise,
};

}  // namespace suiro
