// SPDX-License-Identifier: BSD-3-Clause
// Where ranks live: ranks on nodes, nodes at sites, the links of each node, and who else is there.
// A plain value; it knows neither MPI nor sockets nor time. Node and site numbers are dense and
// ordered by their lowest rank, so that every rank that describes the same placement gets an equal
// Topology.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace suiro {

class Topology {
 public:
  /// One rank on one node.
  Topology() : Topology(block(1, 1)) {}

  /// `nodes` nodes with `ppn` consecutive ranks each, one site, one link per node.
  static Topology block(int nodes, int ppn);

  /// As block(), but rank r lives on node r % nodes.
  static Topology round_robin(int nodes, int ppn);

  /// From labels: rank r lives on the node labelled node_of_rank[r]; labels are arbitrary integers
  /// and are renumbered by first appearance. The others are indexed by the *renumbered* node and
  /// may be empty (one site; one link each; no neighbours). Throws std::invalid_argument, naming
  /// the value, if sizes differ.
  static Topology from_nodes(std::span<const int> node_of_rank,
                             std::span<const int> site_of_node = {},
                             std::span<const int> links_of_node = {},
                             std::span<const int> neighbours_of_node = {});

  int ranks() const { return static_cast<int>(node_of_rank_.size()); }
  int nodes() const { return static_cast<int>(ranks_of_node_.size()); }
  int sites() const { return sites_; }

  int node(int rank) const { return node_of_rank_[rank]; }
  /// The position of a rank among the ranks of its node, in rank order: 0 .. ppn-1.
  int local(int rank) const { return local_of_rank_[rank]; }
  int rank(int node, int local) const { return ranks_of_node_[node][local]; }
  int ppn(int node) const { return static_cast<int>(ranks_of_node_[node].size()); }
  int max_ppn() const;
  std::span<const int> ranks_of(int node) const { return ranks_of_node_[node]; }
  int site(int node) const { return site_of_node_[node]; }
  int links(int node) const { return links_of_node_[node]; }
  /// Ranks of others on the node, which may use its links at the same time.
  int neighbours(int node) const { return neighbours_of_node_[node]; }
  /// By how many such communicators a node's links are shared if all ranks of the node are in one,
  /// where that is most: 1 without neighbours.
  double sharing() const;

  /// Every node has the same number of ranks.
  bool even() const;

  /// "4 nodes x 4 ranks", "3 nodes, 1..5 ranks": for messages.
  std::string describe() const;

  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  explicit Topology(std::vector<int> node_of_rank);

  std::vector<int> node_of_rank_;
  std::vector<int> local_of_rank_;
  std::vector<std::vector<int>> ranks_of_node_;
  std::vector<int> site_of_node_;
  std::vector<int> links_of_node_;
  std::vector<int> neighbours_of_node_;
  int sites_ = 1;
};

}  // namespace suiro
