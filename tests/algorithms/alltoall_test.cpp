// SPDX-License-Identifier: BSD-3-Clause
// What each all-to-all algorithm promises beyond delivery, which verify proves: its order, and its
// cost by counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "algorithms/catalog.hpp"
#include "time_blocks.hpp"
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
    if (row.cost == nullptr) continue;
    for (const Topology& topology : topologies()) {
      EXPECT_EQ(row.cost(topology, complete(row, {})), count_cost(build(row, topology), topology))
          << row.name << " on " << topology.describe();
    }
  }
  EXPECT_EQ(algorithm("ring").cost(Topology::block(4, 4), {}), (Cost{16, 48, 0}));
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
    for (const std::int64_t stagger : {0, 1}) {
      expect_same_rounds(build(algorithm("two_level_ring"), topology, {{"stagger", stagger}}),
                         build(algorithm("ring"), topology));
    }
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

TEST(TwoLevelRing, IsThePaperWithoutStagger) {
  for (const auto& [nodes, ppn] : {std::pair{4, 4}, {3, 2}, {2, 5}, {1, 4}, {5, 1}}) {
    const Topology topology = Topology::block(nodes, ppn);
    expect_same_rounds(build(algorithm("two_level_ring"), topology, {{"stagger", 0}}),
                       paper_two_level_ring(nodes, ppn));
  }
}

/// 1 to 12 nodes of 1 to 9 ranks, in any order of ranks.
Topology random_uneven(std::mt19937& random) {
  std::vector<int> node_of_rank;
  const int nodes = 1 + static_cast<int>(random() % 12);
  for (int node = 0; node < nodes; ++node) {
    node_of_rank.insert(node_of_rank.end(), 1 + random() % 9, node);
  }
  std::ranges::shuffle(node_of_rank, random);
  return Topology::from_nodes(node_of_rank);
}

/// The largest node of a ranks must send a(P-a) blocks, so nothing is faster (decision 0009).
TEST(TwoLevel, TakesTheLeastTimeOnUnevenNodes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Topology topology = random_uneven(random);
    const std::int64_t largest = topology.max_ppn();
    for (const std::string_view name : {"two_level_pairwise", "two_level_ring"}) {
      const Schedule schedule = build(algorithm(name), topology);
      EXPECT_EQ(time_blocks(schedule, topology), largest * (topology.ranks() - largest))
          << name << " on " << topology.describe();
    }
  }
}

void expect_fences_at_outer_steps(std::string_view name, const Topology& topology) {
  const Schedule schedule = build(algorithm(name), topology, {{"window", 0}});
  const int ppn = topology.max_ppn();
  EXPECT_EQ(schedule.window, ppn) << name;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(7, index, round);
    EXPECT_EQ(round.fence, index > 0 && index % ppn == 0) << name << ", round " << index;
  }
}

TEST(TwoLevel, WindowZeroIsTheRanksPerNodeAndOuterStepsAreFenced) {
  expect_fences_at_outer_steps("two_level_ring", Topology::round_robin(3, 4));
  expect_fences_at_outer_steps("two_level_pairwise", Topology::round_robin(4, 3));
  const Topology topology = Topology::block(4, 4);
  EXPECT_EQ(build(algorithm("two_level_ring"), topology).window, 1);
  EXPECT_EQ(build(algorithm("two_level_pairwise"), topology).window, 2);
  EXPECT_EQ(build(algorithm("two_level_ring"), topology, {{"window", 3}}).window, 3);
}

/// The only peer that rank `me` has for `action` in the round, or -1.
int peer_of(const Round& round, Action action) {
  int peer = -1;
  for (const Step& step : round.steps) {
    if (step.action == action) peer = step.peer;
  }
  return peer;
}

TEST(TwoLevelPairwise, EveryTwoNodesAreAPairInOneOuterStep) {
  for (const auto& [nodes, ppn] : {std::pair{2, 1}, {4, 4}, {6, 3}, {8, 2}, {14, 1}}) {
    const Topology topology = Topology::round_robin(nodes, ppn);
    const Schedule schedule = build(algorithm("two_level_pairwise"), topology);
    std::map<std::pair<int, int>, std::set<std::int64_t>> outer_steps;
    Round round;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      for (std::int64_t index = ppn; index < schedule.rounds; ++index) {
        schedule.round(rank, index, round);
        const int to = topology.node(peer_of(round, Action::send));
        EXPECT_EQ(topology.node(peer_of(round, Action::receive)), to) << "rank " << rank;
        outer_steps[std::minmax(topology.node(rank), to)].insert(index / ppn);
      }
    }
    EXPECT_EQ(outer_steps.size(), nodes * (nodes - 1) / 2);
    for (const auto& [pair, steps] : outer_steps) EXPECT_EQ(steps.size(), 1) << pair.first;
  }
}

TEST(TwoLevelRing, RanksOfUnevenNodesMeetBeforeEachOuterStep) {
  const int nodes[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
  const Topology uneven = Topology::from_nodes(nodes);
  const Algorithm& row = algorithm("two_level_ring");
  const Schedule schedule = build(row, uneven);
  EXPECT_EQ(schedule.rounds, 12 + 6);
  EXPECT_EQ(build(row, uneven, {{"meet", 0}}).rounds, 12);
  EXPECT_EQ(build(row, Topology::block(4, 4)).rounds, 16);
  Round meeting;
  Round first;
  for (const std::int64_t index : {5, 7, 9, 11, 13, 15}) {
    schedule.round(11, index, meeting);
    schedule.round(11, index + 1, first);
    ASSERT_EQ(meeting.steps.size(), first.steps.size());
    for (std::size_t i = 0; i < meeting.steps.size(); ++i) {
      EXPECT_EQ(meeting.steps[i].peer, first.steps[i].peer) << "round " << index;
      EXPECT_EQ(meeting.steps[i].source.count + meeting.steps[i].target.count, 0);
    }
  }
}

/// For each two ranks on different nodes that are peers of each other: the rounds, within an outer
/// step, from the one's message to the other's. The smallest number found; ppn when there are none.
int fewest_rounds_between_exchanges(const Schedule& schedule, const Topology& topology) {
  const int ppn = topology.max_ppn();
  std::map<std::pair<int, int>, std::int64_t> sent;
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = ppn; index < schedule.rounds; ++index) {
      schedule.round(rank, index, round);
      sent[{rank, peer_of(round, Action::send)}] = index;
    }
  }
  std::int64_t fewest = ppn;
  for (const auto& [ranks, index] : sent) {
    const std::int64_t back = sent.at({ranks.second, ranks.first});
    if (back / ppn == index / ppn) fewest = std::min(fewest, std::abs(back - index));
  }
  return static_cast<int>(fewest);
}

TEST(TwoLevel, RanksThatSendToEachOtherAreHalfAnOuterStepApart) {
  for (const auto& [nodes, ppn] : {std::pair{2, 2}, {4, 3}, {4, 4}, {6, 5}, {8, 6}}) {
    const Topology topology = Topology::block(nodes, ppn);
    for (const std::string_view name : {"two_level_pairwise", "two_level_ring"}) {
      EXPECT_EQ(fewest_rounds_between_exchanges(build(algorithm(name), topology), topology),
                ppn / 2)
          << name << " on " << topology.describe();
    }
    const Schedule paper = build(algorithm("two_level_ring"), topology, {{"stagger", 0}});
    EXPECT_EQ(fewest_rounds_between_exchanges(paper, topology), 0) << "half-way round";
  }
}

/// So two ranks that exchange with each other do not take turns (decision 0016).
TEST(Alltoall, RoundsBeginWithTheSendButWhereTheyStandForNative) {
  const int uneven[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
  const Topology topology = Topology::from_nodes(uneven);
  for (const auto& [name, first] : {std::pair{"ring", Action::send},
                                    {"two_level_ring", Action::send},
                                    {"two_level_pairwise", Action::send},
                                    {"linear_capped", Action::receive},
                                    {"pairwise", Action::receive}}) {
    const Schedule schedule = build(algorithm(name), topology);
    Round round;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      for (std::int64_t index = 1; index < schedule.rounds; ++index) {
        schedule.round(rank, index, round);
        if (round.steps.empty()) continue;
        EXPECT_EQ(round.steps.front().action, first) << name << ", round " << index;
      }
    }
  }
}

/// Messages of `me` to other nodes, and blocks to others of its node.
struct Sent {
  int messages = 0;
  std::int64_t blocks_at_home = 0;
};

Sent sent_by(const Schedule& schedule, const Topology& topology, int me) {
  Sent sent;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(me, index, round);
    for (const Step& step : round.steps) {
      if (step.action != Action::send) continue;
      if (topology.node(step.peer) == topology.node(me)) {
        sent.blocks_at_home += step.source.count;
      } else {
        ++sent.messages;
      }
    }
  }
  return sent;
}

TEST(SendSideAggregation, OneMessagePerNodeAndThePapersBytesInsideANode) {
  for (const auto& [nodes, ppn] : {std::pair{4, 4}, {3, 2}, {8, 5}, {1, 4}}) {
    for (const Topology& topology :
         {Topology::block(nodes, ppn), Topology::round_robin(nodes, ppn)}) {
      const Schedule schedule = build(algorithm("send_side_aggregation"), topology);
      for (int me = 0; me < topology.ranks(); ++me) {
        const Sent sent = sent_by(schedule, topology, me);
        EXPECT_EQ(sent.messages, nodes - 1) << topology.describe();
        EXPECT_EQ(sent.blocks_at_home, (ppn - 1) * nodes) << topology.describe();
      }
    }
  }
}

/// The nodes, but its own, that `me` sends to and receives from in a round.
std::set<std::pair<Action, int>> met_in(const Schedule& schedule, const Topology& topology, int me,
                                        std::int64_t index) {
  std::set<std::pair<Action, int>> met;
  Round round;
  schedule.round(me, index, round);
  for (const Step& step : round.steps) {
    if (step.action == Action::copy) continue;
    const int node = topology.node(step.peer);
    if (node != topology.node(me)) met.emplace(step.action, node);
  }
  return met;
}

TEST(SendSideAggregation, WithoutPairsNodesMeetInThePapersOrder) {
  const Topology topology = Topology::block(6, 2);
  const Schedule schedule =
      build(algorithm("send_side_aggregation"), topology, {{"pairs", std::int64_t{0}}});
  for (int me = 0; me < topology.ranks(); ++me) {
    EXPECT_TRUE(met_in(schedule, topology, me, 0).empty());
    for (int step = 1; step < 6; ++step) {
      const int node = topology.node(me);
      const std::set<std::pair<Action, int>> expected{{Action::send, (node + step) % 6},
                                                      {Action::receive, (node + 6 - step) % 6}};
      EXPECT_EQ(met_in(schedule, topology, me, step), expected) << "rank " << me << ", " << step;
    }
  }
}

TEST(SendSideAggregation, ScratchIsSevenTimesTheNodeAndTheBlocksWhereOutOfOrder) {
  const Algorithm& row = algorithm("send_side_aggregation");
  EXPECT_EQ(build(row, Topology::block(4, 4)).scratch, 26);
  EXPECT_EQ(build(row, Topology::round_robin(4, 4)).scratch, 42);
  EXPECT_EQ(build(row, Topology::block(8, 1)).scratch, 0);
}

TEST(WanFirst, OtherSitesComeInOneRoundAndTheOwnOneRankAtATime) {
  const int two_ranks_per_node[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
  const int mixed[] = {0, 1, 2, 3, 1, 0, 4, 2, 3};
  const int two_sites[] = {0, 0, 1, 1, 1};
  const int three_sites[] = {0, 1, 1, 2, 0};
  for (const Topology& topology : {Topology::from_nodes(two_ranks_per_node, two_sites),
                                   Topology::from_nodes(mixed, three_sites)}) {
    const Schedule schedule = build(algorithm("wan_first"), topology, {{"beside", 1}});
    EXPECT_TRUE(verify(schedule).empty()) << topology.describe();
    EXPECT_EQ(schedule.window, 2);
    EXPECT_TRUE(schedule.overtaking);
    EXPECT_EQ(algorithm("wan_first").cost(topology, {{"beside", 1}}),
              count_cost(schedule, topology));
    const auto site = [&](int rank) { return topology.site(topology.node(rank)); };
    Round round;
    for (int me = 0; me < topology.ranks(); ++me) {
      for (std::int64_t index = 0; index < schedule.rounds; ++index) {
        schedule.round(me, index, round);
        if (index > 0) EXPECT_LE(round.steps.size(), 2U);
        for (const Step& step : round.steps) {
          const bool away = step.action != Action::copy && site(step.peer) != site(me);
          const bool own = step.action == Action::copy;
          EXPECT_EQ(away || own, index == 0) << "rank " << me << ", round " << index;
        }
      }
    }
  }
}

TEST(Aggregation, AtWindowOneANodeHasOnePeer) {
  const int uneven[] = {0, 1, 1, 2, 1, 0, 2, 1, 3};
  for (const Topology& topology :
       {Topology::block(4, 4), Topology::round_robin(3, 3), Topology::from_nodes(uneven)}) {
    for (const std::string_view name : {"send_side_aggregation", "node_leader", "multi_leader"}) {
      EXPECT_FALSE(counterexample(Property::one_peer_per_node_per_round,
                                  build(algorithm(name), topology), topology))
          << name << " on " << topology.describe();
    }
  }
}

TEST(NodeLeader, OnlyTheLeaderTalksToOtherNodes) {
  const Topology topology = Topology::round_robin(4, 3);
  const Schedule schedule = build(algorithm("node_leader"), topology);
  for (int me = 0; me < topology.ranks(); ++me) {
    EXPECT_EQ(sent_by(schedule, topology, me).messages, topology.local(me) == 0 ? 3 : 0);
  }
}

TEST(Bruck, TheRadixSetsRoundsAndBytes) {
  const Topology topology = Topology::block(16, 1);
  const Algorithm& row = algorithm("bruck");
  const auto cost = [&](std::int64_t radix) {
    return row.cost(topology, complete(row, {{"radix", radix}}));
  };
  EXPECT_EQ(cost(2), (Cost{.rounds = 5, .wire_blocks = 32, .scratch = 32}));
  EXPECT_EQ(cost(4), (Cost{.rounds = 3, .wire_blocks = 24, .scratch = 40}));
  EXPECT_EQ(cost(16), (Cost{.rounds = 2, .wire_blocks = 15, .scratch = 46}));
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
