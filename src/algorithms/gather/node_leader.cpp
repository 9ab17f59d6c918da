// SPDX-License-Identifier: BSD-3-Clause
// Node leaders: ranks send to one of their node, and these to the root, all of a node at once.
#include "algorithms/gather/gather.hpp"

namespace suiro {

namespace {

Schedule build_gather_node_leader(const Call& call, const Parameters& parameters) {
  return named(
      gather_node_leader, call, parameters,
      gather_up(node_tree(call.topology, call.root), node_order(call.topology, call.root)));
}

}  // namespace

constinit const Algorithm gather_node_leader = {
    .collective = "gather",
    .name = "node_leader",
    .summary = "One rank per node gathers for its node and sends all to the root.",
    .source = "suiro",
    .cost_text = "N - 1 messages of a M at once; (P - a) M through the root's port",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_gather_node_leader,
};

}  // namespace suiro
