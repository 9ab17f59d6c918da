// SPDX-License-Identifier: BSD-3-Clause
// Node leaders: the ranks of a node tell one of them, these tell each other by dissemination, and
// each tells the others of its node.
#include "algorithms/barrier/barrier.hpp"

namespace suiro {

namespace {

Schedule build_barrier_node_leader(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto gather = [](int, int size) {
    return without_payload(reduce_up(linear_tree(size), 1, Operands::any));
  };
  const auto release = [](int, int size) {
    return without_payload(send_down(linear_tree(size), 1));
  };
  const Schedule leaders = disseminate(static_cast<int>(nodes.size()));
  return named(
      barrier_node_leader, call, parameters,
      sequence(sequence(within(nodes, gather), across(nodes, leaders)), within(nodes, release)));
}

}  // namespace

constinit const Algorithm barrier_node_leader = {
    .collective = "barrier",
    .name = "node_leader",
    .summary = "One rank per node hears of its node and of other nodes, by dissemination.",
    .source = "suiro",
    .cost_text = "ceil(log2 N) messages in time between nodes, 2 within",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_barrier_node_leader,
};

}  // namespace suiro
