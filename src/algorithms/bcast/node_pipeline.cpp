// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: a chain of one rank per node, each of which also feeds the ranks of its
// node. A piece crosses the network once per node, and is late by one message per node, not per
// rank.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec};
constexpr Property properties[] = {Property::port_optimal};

/// The root has the message in its send buffer, every other rank in its receive buffer.
BlockMap held_at(int root) {
  return [root](int rank, Blocks blocks) {
    blocks.buffer = rank == root ? Buffer::send : Buffer::receive;
    return blocks;
  };
}

std::vector<int> in_turn(std::size_t size) {
  std::vector<int> order;
  for (std::size_t place = 0; place < size; ++place) order.push_back(static_cast<int>(place));
  return order;
}

Part bcast_part(std::int64_t pieces, std::vector<int> ranks, const Tree& tree, int root) {
  Part part{.schedule = {}, .ranks = std::move(ranks), .map = held_at(root)};
  part.schedule.ranks = tree.size();
  part.schedule.pieces = pieces;
  send_down(part.schedule, tree, in_turn(part.ranks.size()));
  return part;
}

Schedule build_node_pipeline(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const std::vector<std::vector<int>> nodes = ranks_by_node(topology, call.root);
  std::vector<int> leaders;
  for (int i = 0; i < topology.nodes(); ++i) {
    leaders.push_back(nodes[(topology.node(call.root) + i) % topology.nodes()].front());
  }
  Schedule schedule = header(bcast_node_pipeline, call, parameters);
  schedule.pieces = segments_of(call.bytes, topology.nodes(), call, parameters);
  std::vector<Part> inside;
  for (const std::vector<int>& ranks : nodes) {
    inside.push_back(
        bcast_part(schedule.pieces, ranks, linear_tree(static_cast<int>(ranks.size())), call.root));
  }
  std::vector<Part> across;
  across.push_back(
      bcast_part(schedule.pieces, leaders, chain_tree(topology.nodes(), 1), call.root));
  // A leader's own sends of piece i - 1 stand in round i of both, so nothing has to be delayed.
  const Schedule both = overlapped(side_by_side(topology.ranks(), std::move(across), 0),
                                   side_by_side(topology.ranks(), std::move(inside), 0), 0);
  schedule.rounds = both.rounds;
  schedule.window = both.window;
  schedule.receive_window = both.receive_window;
  schedule.lookahead = both.lookahead;
  schedule.function = both.function;
  return schedule;
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
