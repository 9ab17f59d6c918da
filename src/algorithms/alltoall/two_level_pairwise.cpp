// SPDX-License-Identifier: BSD-3-Clause
// 2-Level Pairwise: 2-Level Ring with pairs instead of a ring. In each outer step the nodes form
// pairs, and a node sends to the node that it receives from; every two nodes are a pair once. On
// TCP this matters: acknowledgements go the way of the data, so they never wait at the switch's
// input for the busy port of a third node (docs/decisions/0007). Within a pair, the ranks of the
// lower node are one step ahead in their choice, so that no two ranks send to each other at the
// same time: they share one connection, and there the answer to a rendezvous waits behind the data.
// (With an odd number of ranks per node, they still do so in one round of each outer step.)
//
// The pairs are those of a round-robin tournament (circle method), so the number of nodes is even.
// Cost: P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include <memory>

#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameter_specs[] = {
    {.name = "window",
     .minimum = 0,
     .maximum = 64,
     .fallback = 2,
     .meaning = "rounds of one outer step in flight together; 0 means as many as ranks per node"},
};

constexpr Property property_list[] = {Property::one_peer_per_node_per_round};

std::string unsupported_two_level_pairwise(const Topology& topology) {
  if (!topology.even()) {
    return "needs the same number of ranks on every node, and here there are " +
           topology.describe();
  }
  if (topology.nodes() % 2 != 0 && topology.nodes() > 1) {
    return "needs an even number of nodes, and here there are " + topology.describe();
  }
  return {};
}

/// The partner of a node in outer step `step`; step 0 is the node with itself. One node stays in
/// the middle of the circle; the others a and b meet when a + b = step - 1 modulo the circle's
/// size.
int partner_of(int node, int step, int nodes) {
  if (step == 0) return node;
  const int middle = nodes - 1;
  const int meeting = step - 1;
  if (node == middle) return meeting * (nodes / 2) % middle;  // 2 * partner = meeting
  const int partner = (meeting - node % middle + middle) % middle;
  return partner == node ? middle : partner;
}

Schedule build_two_level_pairwise(const Topology& topology, const Parameters& parameters) {
  const int nodes = topology.nodes();
  const int ppn = topology.max_ppn();
  const std::int64_t window = parameters.at("window");
  Schedule schedule = alltoall::header(alltoall_two_level_pairwise, topology, parameters);
  schedule.rounds = topology.ranks();
  schedule.window = window == 0 ? ppn : window;
  schedule.function = [nodes, ppn, fenced = schedule.window > 1,
                       map = std::make_shared<const Topology>(topology)](int me, std::int64_t i,
                                                                         Round& round) {
    const int node = map->node(me);
    const int local = map->local(me);
    const int j = static_cast<int>(i / ppn);
    const int k = static_cast<int>(i % ppn);
    const int partner = partner_of(node, j, nodes);
    const int ahead_to = node < partner ? 1 : 0;
    const int ahead_from = node > partner ? 1 : 0;
    const int target = map->rank(partner, (local + k + ahead_to) % ppn);
    const int source = map->rank(partner, (local - k - ahead_from + 2 * ppn) % ppn);
    round.fence = fenced && j > 0 && k == 0;
    alltoall::exchange(me, target, source, round);
  };
  return schedule;
}

Cost cost_two_level_pairwise(const Topology& topology, const Parameters&) {
  return {.rounds = topology.ranks(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_two_level_pairwise = {
    .collective = "alltoall",
    .name = "two_level_pairwise",
    .summary =
        "Nodes in pairs, a ring over the ranks of a pair: acknowledgements meet no third node.",
    .source = "suiro, after the 2-Level Ring paper (2010); docs/decisions/0007",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = parameter_specs,
    .properties = property_list,
    .unsupported = unsupported_two_level_pairwise,
    .cost = cost_two_level_pairwise,
    .build = build_two_level_pairwise,
};

}  // namespace suiro
