// SPDX-License-Identifier: BSD-3-Clause
// Unequal blocks have the algorithms of their regular twin.
#include "rules/candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace suiro {
namespace {

TEST(Candidates, GivesUnequalBlocksTheSchedulesOfTheirTwin) {
  const Algorithm* ring = find_candidate("alltoall", "ring");
  ASSERT_NE(ring, nullptr);
  EXPECT_EQ(find_candidate("alltoallv", "ring"), ring);
  EXPECT_EQ(find_candidate("alltoallv", "nothing"), nullptr);
  EXPECT_EQ(find_candidate("bcast", "ring"), nullptr);
  EXPECT_EQ(find_candidate("alltoallw", "ring"), ring);
  EXPECT_EQ(candidate_names("alltoallv"), candidate_names("alltoall"));
}

TEST(Candidates, GivesKnownSizesAllSchedules) {
  EXPECT_EQ(candidate_names("allgatherv"), candidate_names("allgather"));
  EXPECT_EQ(candidate_names("reduce_scatter"), candidate_names("reduce_scatter_block"));
}

TEST(Candidates, GivesSizesThatOnlyTheRootKnowsWhatHandsOnNothing) {
  for (const auto& [unequal, twin] : {std::pair{"gatherv", "gather"}, {"scatterv", "scatter"}}) {
    EXPECT_THAT(candidate_names(unequal),
                testing::ElementsAre("native", "linear", "linear_capped"));
    EXPECT_NE(find_candidate(twin, "binomial"), nullptr);
    EXPECT_EQ(find_candidate(unequal, "binomial"), nullptr);
    EXPECT_EQ(unknown_algorithm(unequal, "binomial"),
              "binomial has ranks hand on blocks of others, whose sizes only the root of " +
                  std::string(unequal) + " knows (there are native, linear, linear_capped)");
  }
}

TEST(Candidates, ListsNativeFirst) {
  const auto names = candidate_names("alltoallv");
  EXPECT_EQ(names.front(), "native");
  EXPECT_THAT(names, testing::IsSupersetOf({"linear", "ring", "two_level_ring"}));
}

TEST(Candidates, WordsWhatIsWrongWithAName) {
  EXPECT_THAT(unknown_algorithm("alltoall", "two_levl_ring"),
              testing::StartsWith("unknown algorithm \"two_levl_ring\" for alltoall; did you mean "
                                  "\"two_level_ring\"? (there are native, "));
}

TEST(Candidates, WordsWhatIsWrongWithAParameter) {
  const Algorithm* capped = find_candidate("alltoall", "linear_capped");
  EXPECT_EQ(wrong_parameter(capped, "cap", 4), "");
  EXPECT_EQ(wrong_parameter(capped, "cap", 0), "cap of linear_capped is 1 to 1024, not 0");
  EXPECT_EQ(wrong_parameter(capped, "cab", 4),
            "unknown parameter \"cab\"; did you mean \"cap\"? (linear_capped takes cap)");
  EXPECT_EQ(wrong_parameter(nullptr, "cap", 4), "native takes no parameters");
  EXPECT_EQ(wrong_parameter(find_candidate("alltoall", "linear"), "cap", 4),
            "linear takes no parameters");
}

}  // namespace
}  // namespace suiro
