// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: the ranks of a node send to one of them, and a chain of these, one per node,
// reduces piece by piece towards the root. A piece crosses the network once per node, and is late
// by one message per node, not per rank.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec};
constexpr Property properties[] = {Property::one_peer_per_node_per_round, Property::in_place,
                                   Property::port_optimal};

/// Where a node's leader has the node's sum: the root where the result is wanted, others in the
/// first places of scratch until it has left; alone on a node, it is what the leader has itself.
Blocks sum_at(const Topology& topology, int root, int leader, Blocks piece, std::int64_t places) {
  if (topology.ppn(topology.node(leader)) == 1) return {Buffer::send, piece.first, piece.count};
  if (leader == root) return {Buffer::receive, piece.first, piece.count};
  return {Buffer::scratch, piece.first % places, piece.count, piece.first};
}

Schedule build_node_pipeline(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const std::int64_t pieces = segments_of(call.bytes, topology.nodes(), call, parameters);
  const auto sum = [=, root = call.root, places = places_of(pieces)](int rank, Blocks blocks) {
    return sum_at(topology, root, rank, blocks, places);
  };
  const auto held = [sum](Buffer buffer) {
    return [=](int rank, Blocks blocks) {
      return blocks.buffer == buffer ? sum(rank, blocks) : blocks;
    };
  };
  const auto gather = [pieces](int, int size) {
    return reduce_up(linear_tree(size), pieces, Operands::any);
  };
  const Groups nodes = nodes_from(topology, call.root);
  const Schedule sums = within(nodes, gather, held(Buffer::receive), places_of(pieces));
  const Schedule chain = reduce_up(chain_tree(topology.nodes(), 1), pieces, Operands::any);
  // Round i of a leader has its node's sum of piece i - 1 before it takes part in the chain.
  return named(reduce_node_pipeline, call, parameters,
               overlapped(sums, across(nodes, chain, held(Buffer::send), sums.scratch), 0));
}

}  // namespace

constinit const Algorithm reduce_node_pipeline = {
    .collective = "reduce",
    .name = "node_pipeline",
    .summary = "The ranks of a node send to one of them; a chain of these reduces piece by piece.",
    .source = "suiro",
    .cost_text = "(k + N - 1) messages of M/k in time; M through every port",
    .parameters = parameters_taken,
    .properties = properties,
    .cost = nullptr,
    .build = build_node_pipeline,
};

}  // namespace suiro
