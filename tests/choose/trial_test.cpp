// SPDX-License-Identifier: BSD-3-Clause
#include "choose/trial.hpp"

#include <gtest/gtest.h>

#include <string>

namespace suiro {
namespace {

using Side = Trial::Side;

/// Calls until the verdict, as letters (n: native, f: foretold), of one rank that is all ranks.
std::string calls_of(Trial& trial, int early, std::int64_t native_ns, std::int64_t foretold_ns) {
  std::string calls;
  while (!trial.verdict() && calls.size() < 100) {
    if (std::ssize(calls) == early) trial.begin();
    if (trial.is_over() && trial.calls_since() == 1) trial.judge(trial.times());
    const Side side = trial.begin_call();
    trial.end_call(side == Side::native ? native_ns : foretold_ns);
    calls += side == Side::native ? 'n' : 'f';
  }
  return calls;
}

TEST(Trial, KeepsAtOnceWhatIsMuchFaster) {
  Trial trial;
  EXPECT_EQ(calls_of(trial, 3, 200, 100), "nnnfffff");
  EXPECT_EQ(trial.verdict(), Side::foretold);
  EXPECT_DOUBLE_EQ(trial.ratio(), 2);
}

TEST(Trial, LeavesAtOnceWhatIsMuchSlower) {
  Trial trial;
  EXPECT_EQ(calls_of(trial, 3, 100, 200), "nnnffffn");
  EXPECT_EQ(trial.verdict(), Side::native);
}

TEST(Trial, LooksAgainWhereTheDifferenceIsSmall) {
  Trial trial;
  EXPECT_EQ(calls_of(trial, 3, 100, 130),
            "nnnffff"
            "nnnnfffff"
            "n");
  EXPECT_EQ(trial.verdict(), Side::native);
}

TEST(Trial, DecidesInTheEnd) {
  Trial slower;
  EXPECT_EQ(calls_of(slower, 3, 100, 101),
            "nnnffff"
            "nnnnfffff"
            "nnnnnnnnfffffffff"
            "n");
  EXPECT_EQ(slower.verdict(), Side::native);
  Trial equal;
  calls_of(equal, 3, 100, 100);
  EXPECT_EQ(equal.verdict(), Side::foretold);
}

TEST(Trial, HasNoWordAsLongAsNativeHasNotRun) {
  Trial trial;
  EXPECT_EQ(calls_of(trial, 0, 100, 300),
            "ffff"
            "nnnnfffff"
            "n");
}

TEST(Trial, WaitsForAsManyCallsOfNativeAsItIsTold) {
  Trial trial;
  for (int call = 0; call < 3; ++call) trial.begin_call();
  trial.begin(2);
  EXPECT_EQ(trial.begin_call(), Side::native);
  EXPECT_EQ(trial.begin_call(), Side::native);
  EXPECT_EQ(trial.begin_call(), Side::foretold);
}

TEST(Trial, CountsNoCallThatWasTakenBack) {
  Trial one;
  Trial other;
  other.begin_call();
  other.take_back();
  for (int call = 0; call < 6; ++call) {
    if (call == 3) one.begin();
    if (call == 3) other.begin();
    other.begin_call();
    other.take_back();
    const Side side = one.begin_call();
    EXPECT_EQ(other.begin_call(), side);
    one.end_call(call);
    other.end_call(call);
  }
  ASSERT_TRUE(one.is_over() && other.is_over());
  ASSERT_EQ(one.times().size(), 4U);
  ASSERT_EQ(other.times().size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(one.times()[i], other.times()[i]);
}

TEST(Trial, CountsACallAsLongOfWhichNothingIsTold) {
  Trial trial;
  trial.begin();
  trial.begin_call();
  trial.begin_call();
  EXPECT_GT(trial.times()[0], 1'000'000'000);
}

}  // namespace
}  // namespace suiro
