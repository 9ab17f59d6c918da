// SPDX-License-Identifier: BSD-3-Clause
#include "choose/sample.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace suiro {

Topology sample(const Collective& collective, const Topology& topology) {
  constexpr int ranks_enough = 64;
  constexpr int nodes_least = 4;
  const int kept = std::max(nodes_least, ranks_enough / topology.max_ppn());
  if (collective.bytes != Measure::per_pair || topology.nodes() <= kept) return topology;
  std::vector<char> is_kept(topology.nodes());
  for (int i = 0; i < kept; ++i) is_kept[std::int64_t{i} * topology.nodes() / kept] = 1;
  std::vector<int> node_of_rank;
  std::vector<int> site_of_node;
  std::vector<int> links_of_node;
  std::vector<int> neighbours_of_node;
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    const int node = topology.node(rank);
    if (is_kept[node] == 0) continue;
    node_of_rank.push_back(node);
    if (topology.local(rank) > 0) continue;
    site_of_node.push_back(topology.site(node));
    links_of_node.push_back(topology.links(node));
    neighbours_of_node.push_back(topology.neighbours(node));
  }
  return Topology::from_nodes(node_of_rank, site_of_node, links_of_node, neighbours_of_node);
}

}  // namespace suiro
