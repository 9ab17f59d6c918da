// SPDX-License-Identifier: BSD-3-Clause
// First match wins.
#include "rules/rules.hpp"

#include <gtest/gtest.h>

#include <array>

#include "algorithms/catalog.hpp"

namespace suiro {
namespace {

RuleTable table(const std::string& rules) {
  return RuleTable::parse("{\"suiro_rules\": 1, \"rules\": [\n" + rules + "]}", "r.json");
}

Topology uneven() {
  const std::array node_of_rank = {0, 0, 0, 1, 1, 2};
  return Topology::from_nodes(node_of_rank);
}

TEST(Rules, TakesTheFirstThatMatches) {
  const RuleTable rules = table(R"(
    {"collective": "alltoallv", "algorithm": "linear"},
    {"collective": "alltoall", "nodes": [3, null], "algorithm": "linear"},
    {"collective": "alltoall", "ranks": 5, "algorithm": "linear"},
    {"collective": "alltoall", "bytes": [0, 99], "algorithm": "pairwise"},
    {"collective": "alltoall", "algorithm": "ring"})");
  const Topology topology = Topology::block(2, 2);
  EXPECT_EQ(rules.decide({"alltoall", topology, 99})->algorithm, "pairwise");
  EXPECT_EQ(rules.decide({"alltoall", topology, 99})->reason, "r.json:6");
  EXPECT_EQ(rules.decide({"alltoall", topology, 100})->algorithm, "ring");
  EXPECT_EQ(rules.decide({"alltoall", Topology::block(3, 1), 1})->algorithm, "linear");
  EXPECT_EQ(rules.decide({"alltoallv", topology, std::nullopt})->algorithm, "linear");
}

TEST(Rules, MatchesPpnOnEveryNode) {
  const RuleTable rules =
      table(R"({"collective": "alltoall", "ppn": [2, 3], "algorithm": "ring"})");
  EXPECT_EQ(rules.decide({"alltoall", Topology::block(2, 3), 1})->algorithm, "ring");
  EXPECT_FALSE(rules.decide({"alltoall", uneven(), 1})) << "a node has one rank";
  EXPECT_FALSE(rules.decide({"alltoall", Topology::block(2, 4), 1}));
}

TEST(Rules, SayNothingWhenNoneMatches) {
  EXPECT_FALSE(RuleTable().decide({"alltoall", Topology(), 1}));
}

TEST(Rules, AsksPrecedingTablesFirst) {
  const RuleTable first =
      table(R"({"collective": "alltoall", "bytes": [0, 9], "algorithm": "linear"})");
  const RuleTable both = RuleTable::forced("alltoall", "ring").preceded_by(first);
  EXPECT_EQ(both.decide({"alltoall", Topology(), 9})->algorithm, "linear");
  EXPECT_EQ(both.decide({"alltoall", Topology(), 10})->algorithm, "ring");
}

TEST(Rules, ListsTheSizesAtWhichTheDecisionMayChange) {
  const RuleTable rules = table(R"(
    {"collective": "alltoall", "nodes": 9, "bytes": [5, 6], "algorithm": "linear"},
    {"collective": "alltoall", "bytes": [100, 199], "algorithm": "linear"},
    {"collective": "alltoall", "bytes": [200, null], "algorithm": "ring"},
    {"collective": "alltoall", "algorithm": "native"},
    {"collective": "alltoall", "bytes": 7, "algorithm": "linear"})");
  const Topology topology = Topology::block(2, 2);
  const std::vector<std::int64_t> expected = {100, 200};
  EXPECT_EQ(rules.thresholds("alltoall", topology), expected);
  EXPECT_TRUE(RuleTable().thresholds("alltoall", topology).empty());
}

TEST(Rules, LimitsTheSizeOfUnequalBlocksOnceItIsKnown) {
  const RuleTable rules = table(R"(
    {"collective": "alltoallv", "bytes": [100, null], "algorithm": "ring"},
    {"collective": "alltoallv", "algorithm": "linear"})");
  const Topology topology = Topology::block(2, 2);
  EXPECT_EQ(rules.decide({"alltoallv", topology, std::nullopt})->algorithm, "linear");
  EXPECT_EQ(rules.decide({"alltoallv", topology, 99})->algorithm, "linear");
  EXPECT_EQ(rules.decide({"alltoallv", topology, 100})->algorithm, "ring");
  EXPECT_EQ(rules.thresholds("alltoallv", topology), std::vector<std::int64_t>{100});
}

TEST(Rules, DecidesAlikeBetweenThresholds) {
  const RuleTable rules = table(R"(
    {"collective": "alltoall", "nodes": [2, null], "bytes": [512, 4095], "algorithm": "ring"},
    {"collective": "alltoall", "ppn": 3, "bytes": 1000, "algorithm": "two_level_ring"},
    {"collective": "alltoall", "bytes": [8192, 16384], "algorithm": "linear"},
    {"collective": "alltoall", "algorithm": "native"})");
  for (const Topology& topology : {Topology::block(2, 3), Topology::block(1, 3), uneven()}) {
    std::vector<std::int64_t> starts = rules.thresholds("alltoall", topology);
    starts.insert(starts.begin(), 0);
    std::string reason;
    for (std::int64_t bytes = 0, next = 0; bytes < 40000; ++bytes) {
      const std::string now = rules.decide({"alltoall", topology, bytes})->reason;
      const auto index = static_cast<std::size_t>(next);
      if (index < starts.size() && starts[index] == bytes) {
        ++next;
      } else {
        ASSERT_EQ(now, reason) << bytes;
      }
      reason = now;
    }
  }
}

}  // namespace
}  // namespace suiro
