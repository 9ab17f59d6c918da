// SPDX-License-Identifier: BSD-3-Clause
#include "verify/shapes.hpp"

#include <random>
#include <utility>

namespace suiro {

namespace {

/// A uniform shuffle written out, because the standard one differs between libraries.
void shuffle(std::vector<int>& values, std::mt19937& random) {
  for (std::size_t last = values.size(); last > 1; --last) {
    std::swap(values[last - 1], values[random() % last]);
  }
}

Topology shuffled(const Topology& topology, std::mt19937& random) {
  std::vector<int> node_of_rank;
  node_of_rank.reserve(topology.ranks());
  for (int rank = 0; rank < topology.ranks(); ++rank) node_of_rank.push_back(topology.node(rank));
  shuffle(node_of_rank, random);
  return Topology::from_nodes(node_of_rank);
}

/// One rank on each of `nodes` nodes, and the rest wherever chance puts them.
Topology uneven(int ranks, int nodes, std::mt19937& random) {
  std::vector<int> node_of_rank;
  node_of_rank.reserve(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    node_of_rank.push_back(rank < nodes ? rank : static_cast<int>(random() % nodes));
  }
  shuffle(node_of_rank, random);
  return Topology::from_nodes(node_of_rank);
}

}  // namespace

std::vector<Topology> shapes(int ranks) {
  std::mt19937 random(static_cast<unsigned>(ranks));
  std::vector<Topology> result;
  for (int nodes = 1; nodes <= ranks; ++nodes) {
    if (ranks % nodes != 0) continue;
    const int ppn = ranks / nodes;
    result.push_back(Topology::block(nodes, ppn));
    if (nodes == 1 || ppn == 1) continue;  // every other order is the same
    result.push_back(Topology::round_robin(nodes, ppn));
    result.push_back(shuffled(result.back(), random));
  }
  for (const int nodes : {2, 3, ranks / 2}) {
    if (nodes > 1 && nodes < ranks) result.push_back(uneven(ranks, nodes, random));
  }
  return result;
}

}  // namespace suiro
