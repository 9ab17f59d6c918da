// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_chains.hpp"

#include <algorithm>

namespace suiro {

namespace {

void move_to_front(std::vector<int>& children, int child) {
  const auto found = std::ranges::find(children, child);
  std::rotate(children.begin(), found, found + 1);
}

/// The root stands at place 0, whatever the lane; what leaves its node leaves it by the lane's
/// rank. Ranks hand on to the next node before they hand on inside.
Tree tree_of_lane(const Groups& nodes, int lane) {
  std::vector<int> parent;
  std::vector<int> leaders;
  for (const std::vector<int>& ranks : nodes) {
    const auto first = static_cast<int>(parent.size());
    const int leader = first + lane;
    const int above = parent.empty() ? 0 : leader;
    parent.insert(parent.end(), ranks.size(), above);
    if (!leaders.empty()) parent[leader] = leaders.back();
    leaders.push_back(leader);
  }
  parent[0] = -1;
  Tree tree = tree_of(std::move(parent));
  if (lane > 0) move_to_front(tree.children[0], leaders.front());
  for (std::size_t next = 1; next < leaders.size(); ++next) {
    move_to_front(tree.children[leaders[next - 1]], leaders[next]);
  }
  return tree;
}

}  // namespace

std::vector<NodeChain> node_chains(const Topology& topology, int root) {
  int lanes = topology.links(0);
  for (int node = 0; node < topology.nodes(); ++node) {
    lanes = std::min({lanes, topology.links(node), topology.ppn(node)});
  }
  const Groups nodes = nodes_from(topology, root);
  std::vector<NodeChain> chains;
  chains.reserve(static_cast<std::size_t>(lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    chains.push_back(
        {.tree = tree_of_lane(nodes, lane), .at_root = static_cast<int>(nodes.front().size())});
  }
  return chains;
}

Schedule over_node_chains(
    const Call& call, const Parameters& parameters,
    const std::function<Schedule(const NodeChain&, std::int64_t pieces)>& over) {
  const std::vector<NodeChain> chains = node_chains(call.topology, call.root);
  const std::int64_t share = call.bytes / std::ssize(chains);
  const std::int64_t pieces = segments_of(share, call.topology.nodes(), call, parameters);
  std::vector<Schedule> shares;
  shares.reserve(chains.size());
  for (const NodeChain& chain : chains) shares.push_back(over(chain, pieces));
  return relabelled(striped(std::move(shares)), node_order(call.topology, call.root));
}

}  // namespace suiro
