// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: a chain of one rank per node, each of which also feeds the ranks of its
// node. A piece crosses the network once per node, and is late by one message per node, not per
// rank.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec};
constexpr Property properties[] = {Property::one_peer_per_node_per_round, Property::port_optimal};

Schedule build_node_pipeline(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, call.root);
  const Tree chain = chain_tree(call.topology.nodes(), 1);
  const std::int64_t pieces = segments_of(call.bytes, chain.size(), call, parameters);
  const BlockMap held = held_at(call.root);
  const auto feed = [pieces](int, int size) { return send_down(linear_tree(size), pieces); };
  // A leader's own sends of piece i - 1 stand in round i of both, so nothing has to be delayed.
  return named(
      bcast_node_pipeline, call, parameters,
      overlapped(across(nodes, send_down(chain, pieces), held), within(nodes, feed, held), 0));
}

}  // namespace

constinit const Algorithm bcast_node_pipeline = {
    .collective = "bcast",
    .name = "node_pipeline",
    .summary = "A chain of one rank per node hands on piece by piece and feeds the node's others.",
    .source = "suiro",
    .cost_text = "(k + N - 1) messages of M/k in time; M through every port",
    .parameters = parameters_taken,
    .properties = properties,
    .cost = nullptr,
    .build = build_node_pipeline,
};

}  // namespace suiro
