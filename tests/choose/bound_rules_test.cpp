// SPDX-License-Identifier: BSD-3-Clause
// What the bound decides names only what the catalog has, and nothing short.
#include "choose/bound_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "rules/candidates.hpp"

namespace suiro {
namespace {

TEST(BoundRules, NameOnlyWhatTheCatalogHas) {
  const RuleTable rules = bound_rules({}, 0);
  for (const Rule& rule : rules.rules()) {
    EXPECT_NE(find_candidate(rule.collective, rule.algorithm), nullptr) << rule.algorithm;
    EXPECT_TRUE(rule.unasked && rule.reason.starts_with("rule: ")) << rule.reason;
  }
}

TEST(BoundRules, HoldForLongMessagesOnly) {
  const RuleTable rules = bound_rules({}, 0);
  const Topology topology = Topology::block(8, 4);
  EXPECT_EQ(rules.decide({"bcast", topology, 8 << 20})->algorithm, "node_pipeline");
  EXPECT_EQ(rules.decide({"allreduce", topology, 8 << 20})->algorithm, "lanes");
  EXPECT_FALSE(rules.decide({"bcast", topology, 1 << 10}));
  EXPECT_FALSE(rules.decide({"alltoall", topology, 8 << 20}));
}

TEST(BoundRules, AskForMoreBytesWhereStartsCostMore) {
  const Topology topology = Topology::block(8, 4);
  const auto from = [&](const Link& link) {
    return bound_rules(link, 0).thresholds("bcast", topology).front();
  };
  EXPECT_LT(from({}), from({.startup_s = 1e-3}));
  EXPECT_LT(from({}), from({.Bps = 250e6}));
}

TEST(BoundRules, HoldWhereLinksNeedMoreTimeThanNodes) {
  const auto decides = [](const Link& link, int processors, int ranks_per_node) {
    const Topology topology = Topology::block(8, ranks_per_node);
    return bound_rules(link, processors).decide({"allreduce", topology, 8 << 20}).has_value();
  };
  EXPECT_TRUE(decides({.Bps = 125e6}, 0, 16));
  EXPECT_FALSE(decides({.Bps = 125e6}, 0, 128));
  EXPECT_TRUE(decides({.Bps = 12.5e6}, 2, 16));
  EXPECT_FALSE(decides({.Bps = 125e6}, 2, 16));
  EXPECT_FALSE(decides({.Bps = 12.5e9}, 0, 1));
}

TEST(BoundRules, CrossTheWanOnce) {
  const std::array node_of_rank = {0, 1, 2, 3};
  const std::array site_of_node = {0, 0, 1, 1};
  const Topology topology = Topology::from_nodes(node_of_rank, site_of_node);
  const RuleTable rules = bound_rules({}, 0);
  EXPECT_EQ(rules.decide({"allgather", topology, 4 << 20})->algorithm, "counterparts");
  EXPECT_EQ(rules.decide({"reduce_scatter", topology, 16 << 20})->algorithm, "counterparts");
}

}  // namespace
}  // namespace suiro
