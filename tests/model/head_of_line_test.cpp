// SPDX-License-Identifier: BSD-3-Clause
// The model must give the paper's formula for two targets, and the gains for the
// shapes that it was measured on.
#include "model/head_of_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "algorithms/catalog.hpp"

namespace suiro {
namespace {

std::vector<Phase> phases(std::string_view algorithm, const Topology& topology,
                          const Parameters& parameters = {}) {
  const Algorithm* row = find_algorithm("alltoall", algorithm);
  if (row == nullptr) throw std::runtime_error("not in the catalog: " + std::string(algorithm));
  return head_of_line_phases(build(*row, topology, parameters), topology);
}

double time_blocks(std::string_view algorithm, const Topology& topology,
                   const Parameters& parameters = {}) {
  return total_time_blocks(phases(algorithm, topology, parameters));
}

/// One round in which rank r sends blocks[r][t] blocks to rank t; every rank is a node.
Schedule one_round(std::vector<std::vector<std::int64_t>> blocks) {
  Schedule schedule;
  schedule.ranks = static_cast<int>(blocks.size());
  schedule.rounds = 1;
  schedule.function = [blocks = std::move(blocks)](int rank, std::int64_t, Round& round) {
    int target = 0;
    for (const std::int64_t count : blocks[static_cast<std::size_t>(rank)]) {
      if (count > 0) round.steps.push_back(send({Buffer::send, 0, count}, target));
      ++target;
    }
  };
  return schedule;
}

double one_round_time(const std::vector<std::vector<std::int64_t>>& blocks) {
  const Topology topology = Topology::block(static_cast<int>(blocks.size()), 1);
  return total_time_blocks(head_of_line_phases(one_round(blocks), topology));
}

double paper_slowdown(double alpha) { return 1 / (1 - alpha * (1 - alpha)); }

TEST(HeadOfLine, ReproducesThePapersShapes) {
  const auto gain = [](int nodes, int ppn) {
    const Topology topology = Topology::block(nodes, ppn);
    return time_blocks("ring", topology) / time_blocks("two_level_ring", topology);
  };
  EXPECT_NEAR(gain(4, 4), 1.13, 0.005);
  EXPECT_NEAR(gain(8, 4), 1.17, 0.005);
  EXPECT_NEAR(gain(24, 8), 1.20, 0.005);
}

TEST(HeadOfLine, FollowsThePapersFormulaAtEveryStepOfRing) {
  constexpr int nodes = 8;
  constexpr int ppn = 4;
  const auto steps = phases("ring", Topology::block(nodes, ppn));
  ASSERT_EQ(steps.size(), std::size_t{nodes * ppn});
  for (int i = ppn; i <= (nodes - 1) * ppn; ++i) {  // the steps without traffic inside a node
    const Phase& step = steps[static_cast<std::size_t>(i)];
    EXPECT_EQ(step.leaving_blocks, ppn);
    const double alpha = 1 - static_cast<double>(i % ppn) / ppn;
    EXPECT_NEAR(step.time_blocks / ppn, paper_slowdown(alpha), 1e-12) << "step " << i;
  }
  EXPECT_EQ(steps[0].time_blocks, 0);
  EXPECT_NEAR(steps[1].time_blocks, 1, 1e-12);  // one rank of each node sends to the next node
}

TEST(HeadOfLine, FindsNoLossWhereANodeHasOnePeerAtATime) {
  for (const Topology& topology : {Topology::block(4, 4), Topology::round_robin(3, 5)}) {
    const int ppn = topology.max_ppn();
    const double line_rate = ppn * (topology.ranks() - ppn);
    for (const std::int64_t window : {0, 1, 2}) {
      EXPECT_NEAR(time_blocks("two_level_ring", topology, {{"window", window}}), line_rate, 1e-9);
    }
  }
  EXPECT_NEAR(time_blocks("ring", Topology::block(7, 1)), 6, 1e-12);
}

TEST(HeadOfLine, LosesMoreWhenEverythingIsSentAtOnce) {
  const Topology topology = Topology::block(4, 4);
  EXPECT_GT(time_blocks("linear", topology), time_blocks("ring", topology));
  EXPECT_GT(time_blocks("linear_capped", topology), time_blocks("ring", topology));
}

TEST(HeadOfLine, ApproachesTheMemorylessLimitForManyTargets) {
  // Each of n nodes sends alike to the n - 1 others; a head is served with 1 - (1 - 1/n)^n or so.
  const double line_rate = 63;
  const double throughput = line_rate / time_blocks("linear", Topology::block(64, 1));
  EXPECT_NEAR(throughput, 1 - std::exp(-1), 0.01);
}

TEST(HeadOfLine, KnowsThatAnOutputIsNoFasterThanItsLink) {
  EXPECT_NEAR(one_round_time({{}, {6}, {6}, {6}}), 18, 1e-9);  // three nodes send to one
  EXPECT_NEAR(one_round_time({{}, {4}, {1}}), 5, 1e-9);        // unequal shares of an output
}

TEST(HeadOfLine, BeginsAPhaseAtEachFenceAndWhenTheWindowIsFull) {
  const auto outer = phases("two_level_ring", Topology::block(3, 4), {{"window", 0}});
  ASSERT_EQ(outer.size(), 3U);
  EXPECT_EQ(outer[1].first_round, 4);
  EXPECT_EQ(outer[1].rounds, 4);
  EXPECT_EQ(outer[1].leaving_blocks, 16);
  const auto capped = phases("linear_capped", Topology::block(3, 4), {{"cap", 5}});
  ASSERT_EQ(capped.size(), 3U);
  EXPECT_EQ(capped[2].rounds, 2);
}

TEST(HeadOfLine, TakesNoTimeOnOneNodeAndForMessagesWithoutPayload) {
  EXPECT_EQ(time_blocks("ring", Topology::block(1, 6)), 0);
  Schedule empty = one_round({{}, {}});
  empty.function = [](int rank, std::int64_t, Round& round) {
    round.steps = {send({}, 1 - rank), receive(1 - rank, {})};
  };
  EXPECT_EQ(total_time_blocks(head_of_line_phases(empty, Topology::block(2, 1))), 0);
  empty.rounds = 0;
  EXPECT_TRUE(head_of_line_phases(empty, Topology::block(2, 1)).empty());
}

TEST(HeadOfLine, RefusesAScheduleForOtherRanks) {
  EXPECT_THROW(head_of_line_phases(one_round({{}, {}}), Topology::block(3, 1)),
               std::invalid_argument);
}

}  // namespace
}  // namespace suiro
