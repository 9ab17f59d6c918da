// SPDX-License-Identifier: BSD-3-Clause
// What each all-to-all algorithm promises beyond delivery, which verify proves: its order, and its
// cost by counting.
#include <gtest/gtest.h>

#include "algorithms/catalog.hpp"
#include "verify/verify.hpp"

namespace suiro {
namespace {

const Algorithm& algorithm(std::string_view name) { return *find_algorithm("alltoall", name); }

std::vector<Topology> topologies() {
  const int uneven[] = {0, 1, 1, 2, 1, 0, 2, 1};
  return {Topology::block(1, 1), Topology::block(4, 4), Topology::round_robin(3, 5),
          Topology::block(8, 1), Topology::from_nodes(uneven)};
}

TEST(Alltoall, StatedCostsAreTheCountedOnes) {
  for (const Algorithm& row : catalog()) {
    for (const Topology& topology : topologies()) {
      if (!row.unsupported(topology).empty()) continue;
      EXPECT_EQ(row.cost(topology, complete(row, {})), count_cost(build(row, topology), topology))
          << row.name << " on " << topology.describe();
    }
  }
  EXPECT_EQ(algorithm("ring").cost(Topology::block(4, 4), {}),
            (Cost{.rounds = 16, .wire_blocks = 48, .scratch = 0}));
}

void expect_same_rounds(const Schedule& left, const Schedule& right) {
  ASSERT_EQ(left.ranks, right.ranks);
  ASSERT_EQ(left.rounds, right.rounds);
  EXPECT_EQ(left.window, right.window);
  Round left_round;
  Round right_round;
  for (int rank = 0; rank < left.ranks; ++rank) {
    for (std::int64_t index = 0; index < left.rounds; ++index) {
      left.round(rank, index, left_round);
      right.round(rank, index, right_round);
      EXPECT_EQ(left_round, right_round) << "rank " << rank << ", round " << index;
    }
  }
}

TEST(TwoLevelRing, IsRingWithOneRankPerNode) {
  for (const int nodes : {1, 2, 5, 8}) {
    const Topology topology = Topology::block(nodes, 1);
    expect_same_rounds(build(algorithm("two_level_ring"), topology),
                       build(algorithm("ring"), topology));
  }
}

/// The paper's figure 7, word by word, for ranks in block order: Ip = Is * Nlp + Ilp.
Schedule paper_two_level_ring(int Ns, int Nlp) {
  Schedule schedule;
  schedule.ranks = Ns * Nlp;
  schedule.rounds = Ns * Nlp;
  schedule.function = [Ns, Nlp](int Ip, std::int64_t index, Round& round) {
    const int Is = Ip / Nlp;
    const int Ilp = Ip % Nlp;
    const int j = static_cast<int>(index) / Nlp;
    const int k = static_cast<int>(index) % Nlp;
    const int to = (Is + j) % Ns * Nlp + (Ilp + k) % Nlp;
    const int from = (Is + Ns - j) % Ns * Nlp + (Ilp + Nlp - k) % Nlp;
    if (index == 0) {
      round.steps.push_back(copy({Buffer::send, Ip, 1}, {Buffer::receive, Ip, 1}));
    } else {
      round.steps.push_back(send({Buffer::send, to, 1}, to));
      round.steps.push_back(receive(from, {Buffer::receive, from, 1}));
    }
  };
  return schedule;
}

TEST(TwoLevelRing, IsThePaperWithWindowOne) {
  for (const auto& [nodes, ppn] : {std::pair{4, 4}, {3, 2}, {2, 5}, {1, 4}, {5, 1}}) {
    expect_same_rounds(
        build(algorithm("two_level_ring"), Topology::block(nodes, ppn), {{"window", 1}}),
        paper_two_level_ring(nodes, ppn));
  }
}

TEST(TwoLevelRing, TheWindowIsTheRanksPerNodeAndOuterStepsAreFenced) {
  const Schedule schedule = build(algorithm("two_level_ring"), Topology::round_robin(3, 4));
  EXPECT_EQ(schedule.window, 4);
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(7, index, round);
    EXPECT_EQ(round.fence, index > 0 && index % 4 == 0) << "round " << index;
  }
  EXPECT_EQ(build(algorithm("two_level_ring"), Topology::block(3, 4), {{"window", 2}}).window, 2);
}

TEST(Pairwise, PartnersExchangeWhenRanksAreAPowerOfTwo) {
  const Schedule schedule = build(algorithm("pairwise"), Topology::block(2, 4));
  Round round;
  schedule.round(5, 3, round);
  ASSERT_EQ(round.steps.size(), 2);
  EXPECT_EQ(round.steps[0].peer, 6);
  EXPECT_EQ(round.steps[1].peer, 6);
}

TEST(LinearCapped, TheCapIsTheWindow) {
  EXPECT_EQ(build(algorithm("linear_capped"), Topology::block(2, 4)).window, 8);
  EXPECT_EQ(build(algorithm("linear_capped"), Topology::block(2, 4), {{"cap", 2}}).window, 2);
}

TEST(Linear, EverythingIsInOneRoundAndTheRightNeighbourIsFirst) {
  const Schedule schedule = build(algorithm("linear"), Topology::block(2, 2));
  Round round;
  schedule.round(3, 0, round);
  ASSERT_EQ(round.steps.size(), 7);
  EXPECT_EQ(round.steps[0].action, Action::copy);
  EXPECT_EQ(round.steps[1].peer, 0);
  EXPECT_EQ(round.steps[4], send({Buffer::send, 0, 1}, 0));
}

}  // namespace
}  // namespace suiro
