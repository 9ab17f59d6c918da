// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and a tree of nodes: all ranks of a node publish piece by piece, every one folds
// its share of a piece, and one of them collects the sums and reduces them with those of other
// nodes.
#include "algorithms/parts/node_memory.hpp"
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

/// Of the node's sums, where others reduce what they have in the send buffer.
Blocks from_work(int, Blocks blocks) {
  if (blocks.buffer == Buffer::send) blocks.buffer = Buffer::work;
  return blocks;
}

Schedule build_reduce_shared_tree(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, call.root);
  const auto size = static_cast<int>(nodes.size());
  const Tree tree = tree_of_nodes(size, parameters);
  const std::int64_t segments = node_segments_of(call.bytes, tree.depth + 2, call, parameters);
  const int shares = lanes_of(nodes);
  const auto inside = [&](int, int ranks) { return fold_segments(ranks, shares, segments); };
  const Schedule between = subdivided(reduce_up(tree, segments, Operands::any), shares);
  // The leader collects a sum two rounds after its node has begun with it, and reduces it at once.
  Schedule all = overlapped(within(nodes, inside), across(nodes, between, from_work), 1);
  all.pieces = segments * shares;
  return named(reduce_shared_tree, call, parameters, std::move(all));
}

}  // namespace

constinit const Algorithm reduce_shared_tree = {
    .collective = "reduce",
    .name = "shared_tree",
    .summary = "Ranks of a node fold shares of its shared memory; a tree of nodes reduces them.",
    .source = "suiro",
    .cost_text =
        "(k + log_r N + 2) steps of M/k in time; M out of every port; 2 segments and 3 sums "
        "shared, and M of work at one rank per node",
    .parameters = taking<node_radix_spec, node_segment_spec>,
    .properties = having<Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_shared_tree,
    .in_shared_memory = true,
};

}  // namespace suiro
