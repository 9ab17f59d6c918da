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

/// One rank on each of `nodes` nodes, and the rest wherever chance puts them; may come out even.
Topology uneven(int ranks, int nodes, std::mt19937& random) {
  std::vector<int> node_of_rank;
  node_of_rank.reserve(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    node_of_rank.push_back(rank < nodes ? rank : static_cast<int>(random() % nodes));
  }
  shuffle(node_of_rank, random);
  return Topology::from_nodes(node_of_rank);
}

/// Two for each rank, and of many one for two ranks: 474 of up to 33 ranks.
void add_uneven(int ranks, std::mt19937& random, std::vector<Topology>& result) {
  if (ranks < 3) return;
  constexpr int many = 16;
  for (int found = 0; found < (ranks > many ? ranks / 2 : 2 * ranks);) {
    const int nodes = 2 + static_cast<int>(random() % (ranks - 2));
    Topology topology = uneven(ranks, nodes, random);
    if (topology.even()) continue;
    result.push_back(std::move(topology));
    ++found;
  }
}

/// The same placement with two links on every node.
Topology two_links(const Topology& topology) {
  std::vector<int> node_of_rank;
  node_of_rank.reserve(static_cast<std::size_t>(topology.ranks()));
  for (int rank = 0; rank < topology.ranks(); ++rank) node_of_rank.push_back(topology.node(rank));
  const std::vector<int> links(static_cast<std::size_t>(topology.nodes()), 2);
  return Topology::from_nodes(node_of_rank, {}, links);
}

}  // namespace

/// The same placement, with nodes at so many sites: as many at each as can be, or the nodes dealt
/// out with more for the first.
Topology at_sites(const Topology& topology, int sites, bool dealt) {
  std::vector<int> node_of_rank;
  node_of_rank.reserve(static_cast<std::size_t>(topology.ranks()));
  for (int rank = 0; rank < topology.ranks(); ++rank) node_of_rank.push_back(topology.node(rank));
  std::vector<int> site_of_node;
  site_of_node.reserve(static_cast<std::size_t>(topology.nodes()));
  for (int node = 0; node < topology.nodes(); ++node) {
    const int hand = node >= sites && node % 3 == 0 ? 0 : node % sites;
    site_of_node.push_back(dealt ? hand : node * sites / topology.nodes());
  }
  return Topology::from_nodes(node_of_rank, site_of_node);
}

/// Two, three and five sites: of one rank per node, of several, and of nodes and sites unlike.
void add_sites(int ranks, std::vector<Topology>& result) {
  const Topology unlike = result.back();
  for (const int sites : {2, 3, 5}) {
    if (ranks < sites) continue;
    result.push_back(at_sites(Topology::block(ranks, 1), sites, false));
    if (ranks % (2 * sites) == 0) {
      result.push_back(at_sites(Topology::round_robin(ranks / 2, 2), sites, false));
    }
    if (unlike.nodes() > sites) result.push_back(at_sites(unlike, sites, true));
  }
}

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
    result.push_back(two_links(result.back()));
  }
  add_uneven(ranks, random, result);
  add_sites(ranks, result);
  return result;
}

}  // namespace suiro
