// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/world_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace suiro::mpi {
namespace {

constexpr int world = 10'000;

/// As Open MPI does it: one after the other, until it is found.
struct Group {
  std::vector<int> members;  // ranks of the world
  std::int64_t comparisons = 0;

  void translate(std::span<const int> ranks, int first, int count, std::span<int> places) {
    const int end = first + count;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const int wanted = members[static_cast<std::size_t>(ranks[i])];
      const bool is_there = wanted >= first && wanted < end;
      places[i] = is_there ? wanted - first : not_of_the_world;
      comparisons += is_there ? places[i] + 1 : end - first;
    }
  }
};

/// Comparisons for each rank of the world.
double comparisons(std::vector<int> members) {
  Group group{std::move(members)};
  const auto found =
      world_ranks(static_cast<int>(group.members.size()), world,
                  [&](std::span<const int> ranks, int first, int count, std::span<int> places) {
                    group.translate(ranks, first, count, places);
                  });
  EXPECT_EQ(found, group.members);
  return static_cast<double>(group.comparisons) / world;
}

std::vector<int> all() {
  std::vector<int> ranks(world);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(WorldRanks, ComparesFewRanksWhereTheOrderIsKept) {
  EXPECT_LT(comparisons(all()), 200);
  std::vector<int> against = all();
  std::ranges::reverse(against);
  EXPECT_LT(comparisons(against), 200);
}

TEST(WorldRanks, ComparesFewRanksForEverySixtyFourth) {
  std::vector<int> leaders;
  for (int rank = 3; rank < world; rank += 64) leaders.push_back(rank);
  EXPECT_LT(comparisons(leaders), 200);
}

TEST(WorldRanks, FindsAllInAnyOrder) {
  std::vector<int> mixed = all();
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(5));
  EXPECT_LT(comparisons(mixed), world);  // no more than MPI itself
}

TEST(WorldRanks, AsksOfFewRanksOnce) {
  int times = 0;
  const auto found =
      world_ranks(2, world, [&](std::span<const int>, int first, int count, std::span<int> places) {
        ++times;
        EXPECT_EQ(first, 0);
        EXPECT_EQ(count, world);
        places[0] = 9'999;
        places[1] = 5;
      });
  EXPECT_EQ(found, (std::vector<int>{9'999, 5}));
  EXPECT_EQ(times, 1);
}

TEST(WorldRanks, TellsThoseThatAreNotThere) {
  const auto found = world_ranks(3, 100, [](std::span<const int>, int, int, std::span<int> places) {
    places[0] = 64;
    places[1] = -32766;
    places[2] = 66;
  });
  EXPECT_EQ(found, (std::vector<int>{64, not_of_the_world, 66}));
}

}  // namespace
}  // namespace suiro::mpi
