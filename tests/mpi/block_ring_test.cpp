// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/block_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace suiro::mpi {
namespace {

constexpr std::size_t longest = std::size_t{1} << 20;

TEST(BlockRing, LetsShortRunsBeAheadOfOthers) {
  BlockRing ring(longest);
  for (std::uint64_t run = 1; run <= BlockRing::runs_max; ++run) EXPECT_EQ(ring.take(run, 8), 0U);
  EXPECT_EQ(ring.take(BlockRing::runs_max + 1, 8), 1U);
  EXPECT_EQ(ring.take(BlockRing::runs_max + 2, 8), 2U);
}

TEST(BlockRing, HoldsTwoOfTheLongestRuns) {
  BlockRing ring(longest);
  EXPECT_EQ(ring.take(1, longest), 0U);
  EXPECT_EQ(ring.take(2, longest), 0U);
  EXPECT_EQ(ring.take(3, longest), 1U);
  EXPECT_EQ(ring.take(4, longest), 2U);
}

TEST(BlockRing, GivesTheSameRoomAgainToARunThatIsMadeAgain) {
  BlockRing ring(longest);
  ring.take(1, 1000);
  ring.take(2, 1000);
  const std::size_t before = ring.begin();
  ring.give_back();
  ring.take(2, 1000);
  EXPECT_EQ(ring.begin(), before);
}

TEST(BlockRing, AlignsBlocksForAnyType) {
  BlockRing ring(longest);
  for (std::uint64_t run = 1; run < 100; ++run) {
    ring.take(run, run * 7);
    EXPECT_EQ(ring.begin() % 64, 0U);
  }
}

TEST(BlockRing, LetsFourRunsBeAheadWhoseSizesDifferByLessThanTwo) {
  std::mt19937 random(11);
  std::uniform_int_distribution<std::size_t> sizes(2000, 3900);
  BlockRing ring(longest);
  for (std::uint64_t run = 1; run < 10000; ++run) {
    EXPECT_LE(ring.take(run, sizes(random)) + 4, std::max<std::uint64_t>(run, 4));
  }
}

/// No byte is given away again before all runs that had it have ended.
TEST(BlockRing, WaitsForEveryRunWhoseBlocksItGivesAway) {
  struct Range {
    std::size_t begin, end;
  };
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 200; ++repeat) {
    BlockRing ring(longest);
    std::vector<Range> ranges{{}};
    std::uint64_t ended = 0;
    for (std::uint64_t run = 1; run < 200; ++run) {
      const bool is_short = std::uniform_int_distribution(0, 3)(random) > 0;
      const std::size_t bytes =
          std::uniform_int_distribution<std::size_t>(0, is_short ? 10000 : longest)(random);
      ended = std::max(ended, ring.take(run, bytes));
      ASSERT_LT(ended + 1, std::max<std::uint64_t>(run, 2)) << "nobody waits for the run before";
      const Range mine{ring.begin(), ring.begin() + bytes};
      ASSERT_LE(mine.end, 3 * longest);
      for (std::uint64_t other = ended + 1; other < run; ++other) {
        ASSERT_TRUE(ranges[other].end <= mine.begin || mine.end <= ranges[other].begin)
            << "runs " << other << " and " << run;
      }
      ranges.push_back(mine);
    }
  }
}

}  // namespace
}  // namespace suiro::mpi
