// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and a tree of nodes: one rank per node hands on piece by piece, and publishes each
// piece for its node, where all read it at once.
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/parts/node_memory.hpp"

namespace suiro {

namespace {

Schedule build_bcast_shared_tree(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, call.root);
  const auto size = static_cast<int>(nodes.size());
  const Tree tree = tree_of_nodes(size, parameters);
  const std::int64_t segments = node_segments_of(call.bytes, tree.depth + 1, call, parameters);
  const auto inside = [&](int group, int ranks) {
    return publish_segments(ranks, group == 0 ? Buffer::send : Buffer::receive, segments);
  };
  Schedule all = overlapped(across(nodes, send_down(tree, segments)), within(nodes, inside), 1);
  all.pieces = segments;
  return named(bcast_shared_tree, call, parameters, std::move(all));
}

}  // namespace

constinit const Algorithm bcast_shared_tree = {
    .collective = "bcast",
    .name = "shared_tree",
    .summary = "A tree of one rank per node, each of which publishes pieces in shared memory.",
    .source = "suiro; Graham and Shipman (2008) inside nodes",
    .cost_text = "(k + log_r N) steps of M/k in time; M into every port; 4 segments shared",
    .parameters = taking<node_radix_spec, node_segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_shared_tree,
    .in_shared_memory = true,
};

}  // namespace suiro
