// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace suiro {
namespace {

/// Every action, buffer and flag once; rank 1 has nothing to do in round 1.
Schedule sample() {
  Schedule schedule;
  schedule.collective = "alltoall";
  schedule.algorithm = "sample";
  schedule.parameters = {{"cap", 4}, {"offset", -2}};
  schedule.ranks = 2;
  schedule.rounds = 2;
  schedule.window = 3;
  schedule.overtaking = true;
  schedule.lookahead = 1;
  schedule.scratch = 5;
  schedule.work = true;
  schedule.node_of_rank = {0, 1};
  schedule.function = [](int rank, std::int64_t index, Round& round) {
    if (index == 0) {
      round.steps.push_back(copy({Buffer::send, 0, 1}, {Buffer::scratch, 4, 1}));
      round.steps.push_back(send({Buffer::scratch, 1, 0}, 1 - rank));
      round.steps.push_back(receive(1 - rank, {Buffer::receive, 0, 2}));
    } else if (rank == 0) {
      round.fence = true;
      round.steps.push_back(reduce({Buffer::scratch, 0, 2, 1}, {Buffer::work, 1, 2}));
    }
  };
  return schedule;
}

constexpr const char* sample_text =
    "suiro-schedule 1\n"
    "collective alltoall\n"
    "algorithm sample\n"
    "parameter cap 4\n"
    "parameter offset -2\n"
    "ranks 2\n"
    "nodes 0 1\n"
    "rounds 2\n"
    "window 3\n"
    "overtaking\n"
    "lookahead 1\n"
    "scratch 5\n"
    "work\n"
    "\n"
    "rank 0\n"
    "round 0\n"
    "  copy send[0] -> scratch[4]\n"
    "  send scratch[1 x 0] -> 1\n"
    "  receive receive[0 x 2] <- 1\n"
    "round 1 fence\n"
    "  reduce scratch[0 x 2 of 1] -> work[1 x 2]\n"
    "\n"
    "rank 1\n"
    "round 0\n"
    "  copy send[0] -> scratch[4]\n"
    "  send scratch[1 x 0] -> 0\n"
    "  receive receive[0 x 2] <- 0\n";

TEST(Schedule, PrintsEveryKindOfStep) { EXPECT_EQ(print(sample()), sample_text); }

TEST(Schedule, ParsesWhatItPrints) { EXPECT_TRUE(equal(parse(sample_text), sample())); }

TEST(Schedule, MaterialisedIsEqualAndNoLongerCallsTheBuilder) {
  int calls = 0;
  Schedule counted = sample();
  counted.function = [&calls, inner = counted.function](int rank, std::int64_t index, Round& out) {
    ++calls;
    inner(rank, index, out);
  };
  const Schedule stored = materialise(counted);
  const int calls_before = calls;
  EXPECT_TRUE(equal(stored, sample()));
  EXPECT_EQ(calls, calls_before);
}

TEST(Schedule, EqualSeesHeadersAndSteps) {
  Schedule other = sample();
  other.window = 2;
  EXPECT_FALSE(equal(other, sample()));
  other = sample();
  other.overtaking = false;
  EXPECT_FALSE(equal(other, sample()));
  other = sample();
  other.work = false;
  EXPECT_FALSE(equal(other, sample()));
  other = sample();
  other.node_of_rank = {0, 0};
  EXPECT_FALSE(equal(other, sample()));
  other = sample();
  other.function = [inner = other.function](int rank, std::int64_t index, Round& round) {
    inner(rank, index, round);
    if (rank == 1 && index == 1) round.fence = true;
  };
  EXPECT_FALSE(equal(other, sample()));
}

TEST(Schedule, FootprintIsWhatTheStepsOfARankTouch) {
  const Footprint first = footprint(sample(), 0);
  EXPECT_EQ(first.scratch, 5);
  EXPECT_EQ(first.work_first, 1);
  EXPECT_EQ(first.work_count, 2);
  EXPECT_EQ(first.moved, 2);
  const Footprint second = footprint(sample(), 1);
  EXPECT_EQ(second.scratch, 5);
  EXPECT_EQ(second.work_count, 0);
  Schedule more = sample();
  more.function = [](int, std::int64_t index, Round& round) {
    const std::int64_t piece = index == 0 ? 7 : 3;
    round.steps.push_back(copy({Buffer::send, piece, 1}, {Buffer::work, piece, 1}));
  };
  EXPECT_EQ(footprint(more, 0).work_first, 3);
  EXPECT_EQ(footprint(more, 0).work_count, 5);
  EXPECT_EQ(footprint(more, 0).scratch, 0);
}

TEST(Schedule, RoundClearsWhatTheCallerHands) {
  Round round{.fence = true, .steps = {copy({}, {})}};
  sample().round(1, 1, round);
  EXPECT_EQ(round, Round{});
}

TEST(Schedule, RefusesToPrintWhatCannotBeParsed) {
  Schedule large = sample();
  large.ranks = 4096;
  large.rounds = 4096;
  EXPECT_THROW((void)print(large), std::length_error);
}

}  // namespace
}  // namespace suiro
