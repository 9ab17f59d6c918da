// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/node_chains.hpp"

#include <algorithm>

namespace suiro {

namespace {

constexpr std::size_t children_in_node = 2;

void move_to_front(std::vector<int>& children, int child) {
  const auto found = std::ranges::find(children, child);
  std::rotate(children.begin(), found, found + 1);
}

/// The places of a node in the order in which they are in its tree: first the one that pieces come
/// to or leave by, then the lane's, and the others from there on, so that lanes differ in who has
/// children.
std::vector<int> order_in_node(int first, int size, int lane, bool at_root) {
  std::vector<int> order;
  if (at_root && lane > 0) order.push_back(first);
  for (int next = 0; next < size; ++next) {
    const int place = (lane + next) % size;
    if (!at_root || lane == 0 || place > 0) order.push_back(first + place);
  }
  return order;
}

/// The root stands at place 0, whatever the lane; what leaves its node leaves it by the lane's
/// rank. Ranks hand on to the next node before they hand on inside.
NodeChain chain_of_lane(const Groups& nodes, int lane) {
  std::vector<int> parent;
  std::vector<int> below;
  std::vector<int> leaders;
  for (const std::vector<int>& ranks : nodes) {
    const auto size = static_cast<int>(ranks.size());
    const auto first = static_cast<int>(parent.size());
    const std::vector<int> order = order_in_node(first, size, lane, leaders.empty());
    parent.resize(parent.size() + ranks.size(), leaders.empty() ? -1 : leaders.back());
    below.resize(parent.size());
    for (std::size_t at = 1; at < order.size(); ++at) {
      parent[order[at]] = order[(at - 1) / children_in_node];
      below[order[at]] = below[parent[order[at]]] + 1;
    }
    leaders.push_back(first + lane);
  }
  Tree tree = tree_of(std::move(parent));
  if (lane > 0) move_to_front(tree.children[0], leaders.front());
  for (std::size_t next = 1; next < leaders.size(); ++next) {
    move_to_front(tree.children[leaders[next - 1]], leaders[next]);
  }
  return {.tree = std::move(tree), .below = std::move(below)};
}

}  // namespace

std::vector<NodeChain> node_chains(const Call& call, int for_a_link) {
  const Topology& topology = call.topology;
  int lanes = for_a_link * topology.links(0);
  for (int node = 0; node < topology.nodes(); ++node) {
    lanes = std::min({lanes, for_a_link * topology.links(node), topology.ppn(node)});
  }
  const Groups nodes = nodes_from(topology, call.root);
  std::vector<NodeChain> chains;
  chains.reserve(static_cast<std::size_t>(lanes));
  for (int lane = 0; lane < lanes; ++lane) chains.push_back(chain_of_lane(nodes, lane));
  return chains;
}

Schedule over_node_chains(
    const Call& call, const Parameters& parameters,
    const std::function<Schedule(const NodeChain&, std::int64_t pieces)>& over) {
  const auto asked = static_cast<int>(parameters.at("chains"));
  const std::vector<NodeChain> chains = node_chains(call, asked > 0 ? asked : call.link.streams);
  const std::int64_t share = call.bytes / std::ssize(chains);
  const std::int64_t stages = std::max(call.topology.nodes(), chains.front().tree.depth);
  const std::int64_t pieces = segments_of(share, stages, call, parameters);
  std::vector<Schedule> shares;
  shares.reserve(chains.size());
  for (const NodeChain& chain : chains) shares.push_back(over(chain, pieces));
  return relabelled(striped(std::move(shares)), node_order(call.topology, call.root));
}

}  // namespace suiro
