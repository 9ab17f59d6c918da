// SPDX-License-Identifier: BSD-3-Clause
// The shipped table speaks only of algorithms that exist, and always gives a reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "rules/candidates.hpp"
#include "rules/rules.hpp"

namespace suiro {
namespace {

class Builtin : public testing::TestWithParam<const char*> {
 protected:
  Decision decide(std::string_view collective, const Topology& topology,
                  std::optional<std::int64_t> bytes) const {
    return RuleTable::builtin(GetParam()).decide({collective, topology, bytes}).value();
  }
};

bool says_why(std::string_view reason) {
  constexpr std::array kinds = {"measured: ", "rule: ", "ignorance: "};
  return std::ranges::any_of(kinds, [&](auto kind) { return reason.starts_with(kind); });
}

TEST_P(Builtin, NamesOnlyWhatTheCatalogHas) {
  const RuleTable table = RuleTable::builtin(GetParam());
  for (const Rule& rule : table.rules()) {
    const Algorithm* algorithm = find_candidate(rule.collective, rule.algorithm);
    EXPECT_TRUE(algorithm != nullptr || rule.algorithm == native_algorithm) << rule.algorithm;
    for (const auto& [name, value] : rule.parameters) {
      EXPECT_EQ(wrong_parameter(algorithm, name, value), "");
    }
    EXPECT_TRUE(rule.unasked && says_why(rule.reason)) << rule.reason;
  }
}

TEST_P(Builtin, ChoosesOnePeerNodeAtATimeForLargeBlocksOnSharedLinks) {
  EXPECT_EQ(decide("alltoall", Topology::block(4, 4), 256 << 10).algorithm, "two_level_pairwise");
  EXPECT_EQ(decide("alltoall", Topology::block(5, 4), 256 << 10).algorithm, "two_level_pairwise");
}

TEST_P(Builtin, SendsSmallBlocksThroughLeaders) {
  const Topology topology = Topology::block(4, 4);
  for (const std::string_view collective : {"alltoall", "alltoallv"}) {
    for (const std::int64_t bytes : {1, 8, 512}) {
      const Decision decision = decide(collective, topology, bytes);
      EXPECT_EQ(decision.algorithm, "node_leader") << collective << " " << bytes;
      EXPECT_EQ(decision.parameters.at("window"), 64);
    }
    EXPECT_EQ(decide(collective, topology, 513).algorithm, "native");
    EXPECT_EQ(decide(collective, topology, 0).algorithm, "native");
    EXPECT_EQ(decide(collective, topology, std::nullopt).algorithm, "native");
    for (const Topology& other : {Topology::block(2, 4), Topology::block(4, 2),
                                  Topology::block(4, 7), Topology::block(8, 16)}) {
      EXPECT_EQ(decide(collective, other, 64).algorithm, "node_leader") << other.describe();
      EXPECT_EQ(decide(collective, other, 65).algorithm, "native") << other.describe();
    }
    EXPECT_EQ(decide(collective, Topology::block(2, 3), 8).algorithm, "native");
    EXPECT_EQ(decide(collective, Topology::block(8, 17), 8).algorithm, "native");
    EXPECT_EQ(decide(collective, Topology::block(8, 1), 8).algorithm, "native");
  }
  EXPECT_EQ(decide("alltoallw", topology, 8).algorithm, "native") << "not measured";
}

TEST_P(Builtin, ChoosesNativeWhereNothingCanBeGained) {
  EXPECT_EQ(decide("alltoall", Topology::block(1, 8), 1 << 20).reason,
            "ignorance: no faster algorithm was found");
  EXPECT_EQ(decide("alltoall", Topology::block(8, 1), 1 << 20).reason,
            "measured: one rank per node");
}

Topology two_sites(int ppn) {
  std::vector<int> node_of_rank;
  for (int node = 0; node < 4; ++node) node_of_rank.insert(node_of_rank.end(), ppn, node);
  const std::array site_of_node = {0, 0, 1, 1};
  return Topology::from_nodes(node_of_rank, site_of_node);
}

TEST_P(Builtin, ChoosesNoTwoLevelAlgorithmBetweenSites) {
  for (const std::string_view collective : {"alltoall", "alltoallv", "alltoallw"}) {
    const bool pairwise = GetParam() == std::string_view("mpich") && collective == "alltoall";
    const Decision decision = decide(collective, two_sites(2), 1 << 20);
    EXPECT_EQ(decision.algorithm, pairwise ? "linear_capped" : "native") << collective;
    EXPECT_TRUE(decision.reason.starts_with("measured: several sites")) << decision.reason;
    EXPECT_EQ(decide(collective, two_sites(2), 4 << 10).algorithm, "native");
  }
}

TEST_P(Builtin, SendsSmallBlocksBetweenSitesAllAtOnce) {
  std::vector<int> node_of_rank(8);
  std::iota(node_of_rank.begin(), node_of_rank.end(), 0);
  const std::array site_of_node = {0, 0, 0, 0, 1, 1, 1, 1};
  const Topology topology = Topology::from_nodes(node_of_rank, site_of_node);
  EXPECT_EQ(decide("alltoall", topology, 8).algorithm, "linear");
  EXPECT_EQ(decide("alltoall", topology, 256).algorithm, "linear");
  EXPECT_EQ(decide("alltoall", topology, 257).algorithm, "native");
  EXPECT_EQ(decide("alltoallv", topology, 8).algorithm, "native");
  EXPECT_EQ(decide("alltoall", two_sites(1), 8).algorithm, "native");
  EXPECT_EQ(decide("alltoall", two_sites(2), 512).algorithm, "node_leader");
  EXPECT_EQ(decide("alltoallv", two_sites(6), 8).algorithm, "node_leader");
  EXPECT_EQ(decide("alltoall", two_sites(2), 513).algorithm, "native");
  EXPECT_EQ(decide("alltoall", two_sites(7), 8).algorithm, "native");
}

TEST_P(Builtin, LetsTheRootsSiteReceiveOverTheWan) {
  EXPECT_EQ(decide("gather", two_sites(1), 128 << 10).algorithm, "counterparts");
  EXPECT_EQ(decide("gather", two_sites(1), 32 << 10).algorithm, "linear");
  EXPECT_EQ(decide("scatter", two_sites(1), 32 << 10).algorithm, "linear");
  const RuleTable table = RuleTable::builtin(GetParam());
  EXPECT_FALSE(table.decide({"gather", two_sites(1), 1 << 10})) << "it says nothing of these";
  EXPECT_FALSE(table.decide({"gather", Topology::block(4, 1), 64 << 10}));
  EXPECT_FALSE(table.decide({"scatter", Topology::block(4, 1), 32 << 10}));
}

TEST(BuiltinRows, LimitWhatIsUnderWayBetweenSites) {
  const auto cap = [](std::string_view mpi, std::string_view collective, std::int64_t bytes) {
    const RuleTable table = RuleTable::builtin(mpi);
    const Decision decision = table.decide({collective, two_sites(1), bytes}).value();
    return decision.algorithm == "linear_capped" ? decision.parameters.at("cap") : 0;
  };
  EXPECT_EQ(cap("mpich", "alltoall", (16 << 10) - 1), 0);
  EXPECT_EQ(cap("mpich", "alltoall", 16 << 10), 32);
  EXPECT_EQ(cap("mpich", "alltoall", 64 << 10), 0);
  EXPECT_EQ(cap("openmpi", "alltoall", 16 << 10), 0);
}

TEST(BuiltinRows, LetLargeBlocksOverTheWanGoFirst) {
  const auto algorithm = [](std::string_view mpi, std::string_view collective, int kib,
                            const Topology& topology = two_sites(1)) {
    const RuleTable table = RuleTable::builtin(mpi);
    return table.decide({collective, topology, std::int64_t{kib} << 10})->algorithm;
  };
  EXPECT_EQ(algorithm("openmpi", "alltoall", 32), "wan_first");
  EXPECT_EQ(algorithm("openmpi", "alltoallv", 24), "wan_first");
  EXPECT_EQ(algorithm("openmpi", "alltoallv", 23), "native");
  EXPECT_EQ(algorithm("mpich", "alltoall", 64), "wan_first");
  EXPECT_EQ(algorithm("openmpi", "alltoall", 31), "native");
  EXPECT_EQ(algorithm("mpich", "alltoall", 63), "linear_capped");
  EXPECT_EQ(algorithm("mpich", "alltoallv", 192), "wan_first");
  EXPECT_EQ(algorithm("mpich", "alltoallv", 191), "native");
  EXPECT_EQ(algorithm("openmpi", "alltoallw", 256), "native");
  EXPECT_EQ(algorithm("openmpi", "alltoall", 256, two_sites(2)), "native");
  std::vector<int> node_of_rank(34);
  std::iota(node_of_rank.begin(), node_of_rank.end(), 0);
  std::vector<int> site_of_node(34, 0);
  site_of_node.back() = 1;
  const Topology many = Topology::from_nodes(node_of_rank, site_of_node);
  EXPECT_EQ(algorithm("openmpi", "alltoall", 256, many), "native");
}

TEST(BuiltinRows, AggregateBlocksOfMiddleSizeSmallerOnesWithMpichOnly) {
  const RuleTable table = RuleTable::builtin("mpich");
  const auto algorithm = [&](std::string_view collective, int ppn, std::int64_t bytes) {
    const Topology topology = Topology::block(4, ppn);
    return table.decide({collective, topology, bytes})->algorithm;
  };
  EXPECT_EQ(algorithm("alltoall", 4, 32768), "send_side_aggregation");
  EXPECT_EQ(algorithm("alltoall", 4, 65536), "send_side_aggregation");
  EXPECT_EQ(algorithm("alltoall", 2, 65536), "send_side_aggregation");
  EXPECT_EQ(algorithm("alltoall", 4, 192 << 10), "two_level_pairwise");
  EXPECT_EQ(algorithm("alltoall", 4, 32767), "native");
  EXPECT_EQ(algorithm("alltoall", 2, 32768), "native");
  EXPECT_EQ(algorithm("alltoallv", 4, 32768), "native");
  const Topology topology = Topology::block(4, 4);
  EXPECT_EQ(RuleTable::builtin("openmpi").decide({"alltoall", topology, 32768})->algorithm,
            "native");
}

TEST_P(Builtin, ChoosesAlikeForUnequalBlocksOfAKnownSize) {
  const Topology topology = Topology::block(4, 4);
  for (const char* collective : {"alltoallv", "alltoallw"}) {
    const std::int64_t from = (GetParam() == std::string_view("openmpi") ? 448 : 192) << 10;
    EXPECT_EQ(decide(collective, topology, from).algorithm, "two_level_pairwise");
    EXPECT_NE(decide(collective, topology, from - 1).algorithm, "two_level_pairwise");
    EXPECT_EQ(decide(collective, topology, std::nullopt).algorithm, "native");
    EXPECT_EQ(decide(collective, Topology::block(8, 1), 1 << 20).algorithm, "native");
  }
}

TEST(BuiltinRows, ChoosePairsForSmallerUnequalBlocksOverSuirosTransportWithOpenMpi) {
  const auto algorithm = [](std::string_view transport, std::string_view collective, int kib,
                            std::string_view mpi = "openmpi") {
    const RuleTable table = RuleTable::builtin(mpi, transport);
    return table.decide({collective, Topology::block(4, 4), std::int64_t{kib} << 10})->algorithm;
  };
  EXPECT_EQ(algorithm("suiro", "alltoallv", 96), "two_level_pairwise");
  EXPECT_EQ(algorithm("suiro", "alltoallv", 95), "two_level_capped");
  EXPECT_EQ(algorithm("suiro", "alltoallw", 96), "native");
  EXPECT_EQ(algorithm("", "alltoallv", 96), "two_level_capped");
  EXPECT_EQ(algorithm("suiro", "alltoallv", 96, "mpich"), "two_level_capped")
      << "pairs were not measured";
}

TEST(BuiltinRows, TakeAFewAtATimeNodeByNodeWhereThatIsSlowerOnNoSwitch) {
  const auto cap = [](std::string_view mpi, std::string_view collective, std::int64_t bytes,
                      const Topology& topology = Topology::block(4, 4)) {
    const RuleTable table = RuleTable::builtin(mpi);
    const Decision decision = table.decide({collective, topology, bytes}).value();
    return decision.algorithm == "two_level_capped" ? decision.parameters.at("cap") : 0;
  };
  for (const std::string_view mpi : {"openmpi", "mpich"}) {
    EXPECT_EQ(cap(mpi, "alltoall", (4 << 10) - 1), 0);
    EXPECT_EQ(cap(mpi, "alltoall", 4 << 10), 6);
    EXPECT_EQ(cap(mpi, "alltoall", 12 << 10), 3);
    EXPECT_EQ(cap(mpi, "alltoall", 24 << 10), 0);
    EXPECT_EQ(cap(mpi, "alltoall", 4 << 10, Topology::block(2, 4)), 0) << "one peer node anyway";
    EXPECT_EQ(cap(mpi, "alltoall", 4 << 10, Topology::block(16, 4)), 0) << "not measured";
    EXPECT_EQ(cap(mpi, "alltoall", 4 << 10, Topology::block(4, 8)), 0) << "slower for some";
    EXPECT_EQ(cap(mpi, "alltoall", 4 << 10, two_sites(4)), 0);
  }
  EXPECT_EQ(cap("openmpi", "alltoallv", (12 << 10) - 1), 0) << "all at once";
  EXPECT_EQ(cap("openmpi", "alltoallv", 12 << 10), 3);
  EXPECT_EQ(cap("openmpi", "alltoallv", 24 << 10), 4);
  EXPECT_EQ(cap("openmpi", "alltoallv", 48 << 10), 6);
  EXPECT_EQ(cap("openmpi", "alltoallv", (448 << 10) - 1), 3);
  EXPECT_EQ(cap("openmpi", "alltoallw", 32 << 10), 4);
  EXPECT_EQ(cap("openmpi", "alltoallw", 48 << 10), 0) << "all at once";
  EXPECT_EQ(cap("mpich", "alltoallw", 16 << 10), 0) << "measured in one lab only";
  EXPECT_EQ(cap("mpich", "alltoallv", 2 << 10), 6);
  EXPECT_EQ(cap("mpich", "alltoallv", 12 << 10), 4);
  EXPECT_EQ(cap("mpich", "alltoallv", 32 << 10), 0) << "slower in 4x4-voq";
  EXPECT_EQ(cap("mpich", "alltoallv", (192 << 10) - 1), 3);
}

TEST(BuiltinRows, SendAllAtOnceInOurOrderWhereOpenMpiBeginsWithRankZero) {
  const auto algorithm = [](std::string_view collective, const Topology& topology, int kib,
                            std::string_view mpi = "openmpi") {
    const RuleTable table = RuleTable::builtin(mpi);
    return table.decide({collective, topology, std::int64_t{kib} << 10})->algorithm;
  };
  for (const int kib : {2, 32, 63}) {
    EXPECT_EQ(algorithm("alltoallv", Topology::block(2, 4), kib), "linear") << kib;
    EXPECT_EQ(algorithm("alltoallw", Topology::block(2, 4), kib), "linear") << kib;
  }
  EXPECT_EQ(algorithm("alltoallv", Topology::block(12, 1), 32), "linear");
  EXPECT_EQ(algorithm("alltoallv", two_sites(1), 4), "native") << "as fast";
  EXPECT_EQ(algorithm("alltoallv", Topology::block(4, 4), 1), "native");
  EXPECT_EQ(algorithm("alltoallv", Topology::block(2, 4), 64), "native");
  EXPECT_EQ(algorithm("alltoallv", Topology::block(16, 4), 4), "native") << "pairwise there";
  EXPECT_EQ(algorithm("alltoall", Topology::block(2, 4), 4), "native") << "begins so, too";
  EXPECT_EQ(algorithm("alltoallv", Topology::block(2, 4), 4, "mpich"), "native") << "likewise";
}

TEST_P(Builtin, DecidesEveryAllToAll) {
  const std::array uneven = {0, 0, 0, 1, 1, 2};
  for (const Topology& topology :
       {Topology(), Topology::block(2, 2), Topology::from_nodes(uneven)}) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1} << 20, INT64_MAX}) {
      EXPECT_TRUE(says_why(decide("alltoall", topology, bytes).reason));
    }
    EXPECT_EQ(decide("alltoallv", topology, std::nullopt).algorithm, "native");
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMpi, Builtin, testing::Values("openmpi", "mpich"));

}  // namespace
}  // namespace suiro
