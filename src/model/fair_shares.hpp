// SPDX-License-Identifier: BSD-3-Clause
// Which rate each stream gets while some are active: max-min fair over the links of nodes and the
// ways between sites (Bertsekas and Gallager, Data Networks, 6.5.2). Streams between the same two
// nodes are alike and counted, so that the work is in pairs of nodes and not in streams.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/network.hpp"
#include "topology/topology.hpp"

namespace suiro {

class FairShares {
 public:
  FairShares(const Topology& topology, const Network& network);

  /// The number of the pair; the same for the same nodes. They must differ.
  int pair(int source_node, int target_node);

  void add(int pair) { ++streams_[index(pair)], stale_ = true; }
  void remove(int pair) { --streams_[index(pair)], stale_ = true; }

  /// Bytes per second of each stream of the pair.
  double rate(int pair) {
    if (stale_) share_out();
    return rates_[index(pair)];
  }

  /// Active streams into the target of the pair, and from how many nodes.
  struct Incast {
    int streams = 0;
    int nodes = 0;
  };
  Incast incast(int pair) const;

 private:
  struct Limit {
    double left = 0;  // bytes per second that nobody has yet
    int streams = 0;  // that have no rate yet
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  void share_out();
  void block_heads();
  void fix(std::size_t pair, double rate);

  Topology topology_;
  Network network_;
  std::unordered_map<std::uint64_t, int> pair_of_nodes_;
  std::vector<std::vector<int>> pairs_into_;  // each node
  std::vector<int> streams_;                  // of each pair
  std::vector<double> rates_;
  std::vector<std::array<int, 3>> limits_of_pair_;  // out of a node, into one, over the WAN or -1
  std::vector<std::array<int, 2>> nodes_of_pair_;
  std::vector<Limit> limits_;
  std::vector<int> unfixed_;
  bool stale_ = false;
};

}  // namespace suiro
