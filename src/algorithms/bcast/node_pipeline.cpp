// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: a chain of one rank per node, each of which also feeds the ranks of its
// node. A piece crosses the network once per node, and is late by one message per node, not per
// rank.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec};
constexpr Property properties[] = {Property::one_peer_per_node_per_round, Property::port_optimal};

/// The root has the message in its send buffer, every other rank in its receive buffer.
BlockMap held_at(int root) {
  return [root](int rank, Blocks blocks) {
    blocks.buffer = rank == root ? Buffer::send : Buffer::receive;
    return blocks;
  };
}

Schedule build_node_pipeline(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const std::int64_t pieces = segments_of(call.bytes, topology.nodes(), call, parameters);
  std::vector<Part> inside;
  std::vector<int> leaders;
  for (const std::vector<int>& ranks : nodes_from(topology, call.root)) {
    leaders.push_back(ranks.front());
    inside.push_back({.schedule = send_down(linear_tree(static_cast<int>(ranks.size())), pieces),
                      .ranks = ranks,
                      .map = held_at(call.root)});
  }
  std::vector<Part> across;
  across.push_back({.schedule = send_down(chain_tree(topology.nodes(), 1), pieces),
                    .ranks = leaders,
                    .map = held_at(call.root)});
  // A leader's own sends of piece i - 1 stand in round i of both, so nothing has to be delayed.
  return named(bcast_node_pipeline, call, parameters,
               overlapped(side_by_side(topology.ranks(), std::move(across), 0),
                          side_by_side(topology.ranks(), std::move(inside), 0), 0));
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
