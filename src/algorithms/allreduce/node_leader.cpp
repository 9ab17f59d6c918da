// SPDX-License-Identifier: BSD-3-Clause
// Node leaders: the ranks of a node reduce along a tree to one of them, these reduce among each
// other by recursive doubling, and each gives the result to the others of its node.
#include "algorithms/allreduce/allreduce.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_node_leader(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto gather = [](int, int size) { return reduce_up(binary_tree(size), 1, Operands::any); };
  const auto spread = [](int, int size) {
    return in_receive_buffer(send_down(linear_tree(size), 1));
  };
  const Schedule inside = within(nodes, gather);
  const Schedule leaders = in_receive_buffer(double_up(call.topology.nodes()));
  return named(allreduce_node_leader, call, parameters,
               sequence(sequence(inside, across(nodes, leaders)), within(nodes, spread)));
}

}  // namespace

constinit const Algorithm allreduce_node_leader = {
    .collective = "allreduce",
    .name = "node_leader",
    .summary =
        "One rank per node reduces for its node, by recursive doubling with those of others.",
    .source = "suiro; MPICH SMP",
    .cost_text = "log2 N messages of M in time between nodes, 2 log2 a + a - 1 within; scratch 2 M",
    .parameters = {},
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_node_leader,
};

}  // namespace suiro
