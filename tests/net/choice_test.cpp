// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/choice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace suiro::net {
namespace {

constexpr std::uint64_t mega = 1 << 20;
constexpr double gigabit = 0.125;  // bytes per ns

/// Idle streams of as many links of these rates; messages prefer the first.
std::vector<Candidate> links(const std::vector<double>& rates) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < rates.size(); ++i)
    candidates.push_back({.number = i,
                          .preference = i,
                          .preferred = i == 0,
                          .load = {.rate = rates[i]},
                          .chunks = chunk_limits(rates[i], mega)});
  return candidates;
}

TEST(Choice, IsAllAtOnceOfOneStream) {
  const auto choice = choose(links({gigabit}), 100 * mega, 100 * mega, false);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->length, 100 * mega);
}

TEST(Choice, IsNothingOfNone) { EXPECT_FALSE(choose({}, mega, mega, true)); }

TEST(Choice, IsTheLinkThatWouldBeThroughFirst) {
  auto candidates = links({gigabit, gigabit});
  EXPECT_EQ(choose(candidates, 16 * mega, 16 * mega, true)->number, 0U);
  candidates[0].load.bytes = 2 * mega;
  EXPECT_EQ(choose(candidates, 16 * mega, 16 * mega, true)->number, 1U);
}

TEST(Choice, IsAChunkThatLeavesTheRestToOthers) {
  const auto choice = choose(links({gigabit, gigabit}), 16 * mega, 16 * mega, true);
  EXPECT_LE(choice->length, mega);
  EXPECT_GE(choice->length, 64U << 10);
}

TEST(Choice, KeepsAShortRestTogether) {
  auto candidates = links({gigabit, gigabit});
  EXPECT_LT(choose(candidates, 100'000, 100'000, true)->length, 100'000U);
  candidates[1].load.bytes = 100'000;  // so the other would not be through first
  EXPECT_EQ(choose(candidates, 100'000, 100'000, true)->length, 100'000U);
}

TEST(Choice, IsReluctantWhereOthersAre) {
  auto candidates = links({gigabit, gigabit});
  candidates[0].load.bytes = mega;
  candidates[1].load = {.bytes = 0.8 * mega, .rate = gigabit, .crowded = true};
  EXPECT_EQ(choose(candidates, mega, mega, true)->number, 0U);
  candidates[1].load.bytes = 0.2 * mega;
  EXPECT_EQ(choose(candidates, mega, mega, true)->number, 1U) << "a good deal earlier";
}

TEST(Choice, WaitsForAFasterLinkThatIsSoonThroughWithEverything) {
  auto candidates = links({100 * gigabit, gigabit});
  candidates[0].has_enough = true;
  EXPECT_FALSE(choose(candidates, mega, mega, true));
  EXPECT_EQ(choose(candidates, 100 * mega, 100 * mega, true)->number, 1U);
}

TEST(ChunkLimits, FollowTheRate) {
  EXPECT_EQ(chunk_limits(0, mega).longest, mega) << "not known";
  EXPECT_EQ(chunk_limits(0, 1).longest, 64U << 10);
  EXPECT_EQ(chunk_limits(gigabit, 16 * mega).longest, 1'250'000U) << "10 ms";
  EXPECT_EQ(chunk_limits(gigabit, 16 * mega).shortest, 62'500U) << "0.5 ms";
  EXPECT_EQ(chunk_limits(gigabit / 1000, mega).shortest, 8U << 10);
}

}  // namespace
}  // namespace suiro::net
