// SPDX-License-Identifier: BSD-3-Clause
// Node leaders: the root sends all of a node to one of its ranks, which gives each its own.
#include "algorithms/scatter/scatter.hpp"

namespace suiro {

namespace {

Schedule build_scatter_node_leader(const Call& call, const Parameters& parameters) {
  return named(
      scatter_node_leader, call, parameters,
      scatter_down(node_tree(call.topology, call.root), node_order(call.topology, call.root)));
}

}  // namespace

constinit const Algorithm scatter_node_leader = {
    .collective = "scatter",
    .name = "node_leader",
    .summary = "One rank per node gets all for its node from the root and hands it on.",
    .source = "suiro",
    .cost_text = "N - 1 messages of a M at once; (P - a) M through the root's port",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_scatter_node_leader,
};

}  // namespace suiro
