// SPDX-License-Identifier: BSD-3-Clause
// Send-side Aggregation, who carries for whom: for each rank of another node, one rank of a node
// gathers the blocks of all, and sends them. On equal nodes of a ranks, each carries what is for
// one rank of every other node; on others, local rank s of a node with a ranks carries what is for
// every a-th. Two ranks never carry for each other, for the reason that two_level.hpp gives for its
// `staggered`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "algorithms/alltoall/peers.hpp"
#include "topology/topology.hpp"

namespace suiro::alltoall {

/// The nodes for which the ranks of a node gather in one round.
struct Gathering {
  std::array<int, 2> nodes{};
  int count = 0;

  void add(int node) { nodes[static_cast<std::size_t>(count++)] = node; }
  const int* begin() const { return nodes.data(); }
  const int* end() const { return nodes.data() + count; }
};

class Carriers {
 public:
  /// Nodes meet in the order of `peers_of`.
  Carriers(const Topology& topology, PeersOf peers_of) : map_(topology), peers_of_(peers_of) {}

  const Topology& map() const { return map_; }

  /// A node meets every other node once, in steps 1 to steps().
  int steps() const { return map_.nodes() - 1; }
  Peers peers(int node, int step) const { return peers_of_(node, step, map_.nodes()); }

  /// In round 0 what stays at home, and in each round what is for the node of the next step.
  Gathering gathering(int node, int round) const;

  /// The rank of `node` that carries for the rank `target`.
  int carrier(int node, int target) const;

  /// The first local rank of `to` for which local rank `carrier` of `node` carries; the others
  /// follow at distances of the node's ranks.
  int first_target(int node, int carrier, int to) const;

  /// For how many ranks of `to`, or of all nodes of a gathering, local rank `carrier` carries.
  std::int64_t carried(int node, int carrier, int to) const;
  std::int64_t carried(int node, int carrier, const Gathering& gathering) const;

 private:
  /// Local rank t of `to` is carried for by local rank t + shift of `node`, modulo its ranks.
  int shift(int node, int to) const { return node < to ? map_.ppn(node) / 2 : 0; }

  Topology map_;
  PeersOf peers_of_;
};

}  // namespace suiro::alltoall
