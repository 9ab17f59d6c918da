// SPDX-License-Identifier: BSD-3-Clause
// 2-Level Ring takes the least time that any schedule can take in which a node sends to at most one
// node and receives from at most one. For small shapes this is found by trying all of them.
//
// It is enough to try rounds of one block time: a round in which the busiest NIC carries t blocks
// is t such rounds with the same peers. And it is enough to try rounds to which no pair of nodes
// can be added: what is sent earlier needs not be sent later.
#include <gtest/gtest.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "algorithms/catalog.hpp"
#include "time_blocks.hpp"

namespace suiro {
namespace {

/// Least block times for all-to-all between nodes of these numbers of ranks, by exhaustion.
class Exhaustion {
 public:
  explicit Exhaustion(const std::vector<int>& ppn) : nodes_(static_cast<int>(ppn.size())) {
    for (int from = 0; from < nodes_; ++from) {
      for (int to = 0; to < nodes_; ++to) left_.push_back(from == to ? 0 : ppn[from] * ppn[to]);
    }
  }

  int least() {
    const std::uint64_t key = pack();
    if (key == 0) return 0;
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    int best = INT32_MAX;
    choose_peer(0, 0, 0, best);
    known_.emplace(key, best);
    return best;
  }

 private:
  /// Every node may have up to 15 blocks for every other: four bits each.
  std::uint64_t pack() const {
    std::uint64_t key = 0;
    for (const int blocks : left_) key = key << 4 | static_cast<std::uint64_t>(blocks);
    return key;
  }

  /// Chooses whom node `from` and those after it send a block to; `senders` and `receivers` are the
  /// nodes that have a peer already.
  void choose_peer(int from, unsigned senders, unsigned receivers, int& best) {
    if (from == nodes_) {
      if (maximal(senders, receivers)) best = std::min(best, 1 + least());
      return;
    }
    for (int to = 0; to < nodes_; ++to) {
      int& blocks = left_[from * nodes_ + to];
      if (blocks == 0 || (receivers >> to & 1U) != 0) continue;
      --blocks;
      choose_peer(from + 1, senders | 1U << from, receivers | 1U << to, best);
      ++blocks;
    }
    choose_peer(from + 1, senders, receivers, best);
  }

  bool maximal(unsigned senders, unsigned receivers) const {
    for (int from = 0; from < nodes_; ++from) {
      for (int to = 0; to < nodes_; ++to) {
        const bool both_free = ((senders >> from | receivers >> to) & 1U) == 0;
        if (both_free && left_[from * nodes_ + to] > 0) return false;
      }
    }
    return true;
  }

  int nodes_;
  std::vector<int> left_;  // blocks still to be sent, by node and node
  std::unordered_map<std::uint64_t, int> known_;
};

Topology topology_of(const std::vector<int>& ppn) {
  std::vector<int> node_of_rank;
  for (std::size_t node = 0; node < ppn.size(); ++node) {
    node_of_rank.insert(node_of_rank.end(), ppn[node], static_cast<int>(node));
  }
  return Topology::from_nodes(node_of_rank);
}

/// Numbers of ranks in ascending order, so that a shape is tried once.
void expect_least(const std::vector<int>& ppn) {
  const Topology topology = topology_of(ppn);
  const std::int64_t largest = topology.max_ppn();
  const int least = Exhaustion(ppn).least();
  EXPECT_EQ(least, largest * (topology.ranks() - largest)) << topology.describe();
  for (const std::string_view name : {"two_level_pairwise", "two_level_ring"}) {
    const Schedule schedule = build(*find_algorithm("alltoall", name), topology);
    EXPECT_EQ(time_blocks(schedule, topology), least) << name << " on " << topology.describe();
  }
}

/// All shapes of 2 nodes of up to 5 and 3 nodes of up to 4 ranks without two nodes that have more
/// than 15 blocks for each other, and some of 4 nodes.
TEST(TwoLevel, NoScheduleIsFasterOnSmallShapes) {
  for (int first = 1; first <= 4; ++first) {
    for (int second = first; first * second <= 15 && second <= 5; ++second) {
      expect_least({first, second});
      for (int third = second; second * third <= 12 && third <= 4; ++third) {
        expect_least({first, second, third});
      }
    }
  }
  for (const std::vector<int>& ppn : {std::vector{1, 1, 1, 1},
                                      {1, 1, 1, 2},
                                      {1, 1, 2, 2},
                                      {1, 1, 1, 3},
                                      {1, 1, 2, 3},
                                      {1, 2, 2, 2},
                                      {1, 1, 3, 3}}) {
    expect_least(ppn);
  }
}

TEST(Exhaustion, FindsWhatIsKnown) {
  EXPECT_EQ(Exhaustion({1}).least(), 0);
  EXPECT_EQ(Exhaustion({1, 1}).least(), 1);
  EXPECT_EQ(Exhaustion({1, 1, 1}).least(), 2);
  EXPECT_EQ(Exhaustion({2, 3}).least(), 6);
}

}  // namespace
}  // namespace suiro
