// SPDX-License-Identifier: BSD-3-Clause
// One node that stands for all takes as long as all of them together.
#include "model/symmetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "algorithms/catalog.hpp"
#include "model/estimate.hpp"

namespace suiro {
namespace {

Schedule build_on(const Algorithm& algorithm, const Topology& topology, double bytes) {
  const Call call{.topology = topology, .bytes = static_cast<std::int64_t>(bytes)};
  return build(algorithm, call, {});
}

double block_of(const Schedule& schedule, double bytes) {
  const bool cut = find_collective(schedule.collective)->cut();
  return cut ? bytes / static_cast<double>(schedule.pieces) : bytes;
}

/// Those of the catalog whose nodes are alike on this shape; each is played both ways.
std::set<std::string> alike(const Topology& topology) {
  std::set<std::string> found;
  for (const Algorithm& algorithm : catalog()) {
    for (const double bytes : {1000.0, 200'000.0}) {
      const Schedule schedule = build_on(algorithm, topology, bytes);
      if (!Symmetry::of(schedule, topology)) continue;
      const std::string name = schedule.collective + "/" + schedule.algorithm;
      found.insert(name);
      const double block = block_of(schedule, bytes);
      const Estimate all = estimate(schedule, topology, Network{}, block);
      Player player(schedule, topology);
      player.begin_one_node(Network{}, block);
      const Estimate one = player.end();
      EXPECT_NEAR(one.seconds / all.seconds, 1, 0.01) << name << " of " << bytes;
      EXPECT_EQ(one.messages, all.messages) << name;
      EXPECT_EQ(one.played_ranks, topology.ppn(0));
      EXPECT_EQ(all.played_ranks, topology.ranks());
    }
  }
  return found;
}

TEST(Symmetry, OneNodeTakesAsLongAsAll) {
  const std::vector<std::string> rings = {"alltoall/ring", "allreduce/ring", "allgather/ring"};
  EXPECT_THAT(alike(Topology::block(4, 4)), testing::IsSupersetOf(rings));
  const std::vector<int> two_links(4, 2);
  const std::vector<int> nodes = {0, 0, 1, 1, 2, 2, 3, 3};
  EXPECT_THAT(alike(Topology::from_nodes(nodes, {}, two_links)), testing::IsSupersetOf(rings));
  EXPECT_THAT(alike(Topology::block(8, 1)),
              testing::IsSupersetOf({"alltoall/pairwise", "barrier/dissemination", "alltoall/bruck",
                                     "alltoall/two_level_ring"}));
  EXPECT_THAT(alike(Topology::block(6, 3)), testing::IsSupersetOf(rings));
}

TEST(Symmetry, IsNotSeenWhereNodesDiffer) {
  const Algorithm& ring = *find_algorithm("alltoall", "ring");
  const auto of = [&](const Topology& topology) {
    return Symmetry::of(build(ring, topology), topology).has_value();
  };
  EXPECT_TRUE(of(Topology::block(3, 2)));
  EXPECT_FALSE(of(Topology::block(1, 4)));
  EXPECT_FALSE(of(Topology::round_robin(3, 2)));
  EXPECT_FALSE(of(Topology::from_nodes(std::vector{0, 0, 1})));
  EXPECT_FALSE(of(Topology::from_nodes(std::vector{0, 1}, std::vector{0, 1})));
  EXPECT_FALSE(of(Topology::from_nodes(std::vector{0, 1}, {}, std::vector{1, 2})));
  const Topology topology = Topology::block(4, 1);
  const Schedule bcast = build(*find_algorithm("bcast", "binomial"), topology);
  EXPECT_FALSE(Symmetry::of(bcast, topology));
  EXPECT_THROW(Player(bcast, topology).begin_one_node(Network{}, 1), std::invalid_argument);
  Network blocking;
  blocking.kind = SwitchKind::hol;
  EXPECT_THROW(Player(build(ring, topology), topology).begin_one_node(blocking, 1),
               std::invalid_argument);
}

TEST(Symmetry, ManyRanksAreNotAllPlayed) {
  const Topology topology = Topology::block(512, 4);
  const Schedule schedule = build(*find_algorithm("allgather", "recursive_doubling"), topology);
  const Estimate made = estimate(schedule, topology, Network{}, 1000);
  EXPECT_EQ(made.played_ranks, 4);
  Network shared;
  shared.kind = SwitchKind::shared;
  EXPECT_EQ(estimate(schedule, topology, shared, 1000).played_ranks, 2048);
}

}  // namespace
}  // namespace suiro
