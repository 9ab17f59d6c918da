// SPDX-License-Identifier: BSD-3-Clause
#include "choose/trial.hpp"

#include <gtest/gtest.h>

#include <string>

namespace suiro {
namespace {

using Side = Trial::Side;

/// The next calls as letters (n: native, f: foretold), of one rank that is all ranks; no more than
/// until the verdict if `until_verdict`.
std::string calls_of(Trial& trial, int calls, std::int64_t native_ns, std::int64_t foretold_ns,
                     bool until_verdict = true) {
  std::string letters;
  for (int call = 0; call < calls && !(until_verdict && trial.verdict()); ++call) {
    if (trial.is_over() && trial.calls_since() == 1) trial.judge(trial.times());
    const Side side = trial.begin_call();
    trial.end_call(side == Side::native ? native_ns : foretold_ns);
    letters += side == Side::native ? 'n' : 'f';
  }
  return letters;
}

/// The same of a new trial after three calls of native's, and `more` that were not timed.
std::string calls_from_begin(Trial& trial, int calls, std::int64_t native_ns,
                             std::int64_t foretold_ns, int more = Trial::warm_after) {
  std::string letters = calls_of(trial, 3, native_ns, foretold_ns);
  trial.begin(0, 3 + more);
  return letters + calls_of(trial, calls, native_ns, foretold_ns);
}

TEST(Trial, KeepsSoonWhatIsMuchFaster) {
  Trial trial;
  EXPECT_EQ(calls_from_begin(trial, 100, 200, 100), "nnnffnfffnf");
  EXPECT_EQ(trial.verdict(), Side::foretold);
  EXPECT_DOUBLE_EQ(trial.ratio(), 2);
}

TEST(Trial, LeavesNativesFirstCallsOutWhereTheyDecideSomethingElse) {
  Trial trial;
  EXPECT_EQ(calls_from_begin(trial, 3, 200, 100, 0), "nnnffn") << "twice is not enough";
  EXPECT_EQ(calls_of(trial, 3, 130, 100), "nnn") << "nor is this";
  EXPECT_EQ(calls_of(trial, 100, 90, 100), "nnnnffffnn") << "these count alone";
  EXPECT_EQ(trial.verdict(), Side::native);
  EXPECT_DOUBLE_EQ(trial.ratio(), 0.9);
  Trial much_faster;
  EXPECT_EQ(calls_from_begin(much_faster, 100, 300, 100, 0), "nnnffnfffnf");
  EXPECT_EQ(much_faster.verdict(), Side::foretold);
}

TEST(Trial, LeavesAtOnceWhatIsSlowerThanAllOfNatives) {
  Trial trial;
  EXPECT_EQ(calls_from_begin(trial, 1000, 100, 160), "nnnffnn");
  EXPECT_EQ(trial.verdict(), Side::native);
  EXPECT_DOUBLE_EQ(trial.ratio(), 0.625);
}

TEST(Trial, WaitsUntilItCanAffordWhatMayBeSlower) {
  Trial trial;
  calls_of(trial, 1, 100, 0);
  calls_of(trial, 1, 120, 0);  // native's, once
  calls_of(trial, 2, 100, 0);
  trial.begin(0, Trial::warm_after);
  const std::string calls = calls_of(trial, 1000, 100, 125);
  EXPECT_EQ(calls, "ff" + std::string(57, 'n') + "fffnn") << "a quarter of five calls, by 2 %";
  EXPECT_EQ(trial.verdict(), Side::native);
}

TEST(Trial, LosesNoMoreThanItsShareAndWhatItBeganWith) {
  for (const std::int64_t foretold_ns : {101, 110, 125, 150, 300, 1000, 5000}) {
    Trial trial;
    calls_from_begin(trial, 0, 100, foretold_ns);
    const double loss = static_cast<double>(foretold_ns - 100) / 100;
    double lost = 0;
    for (int call = 3; call < 20000; ++call) {
      const bool is_native = calls_of(trial, 1, 100, foretold_ns, false) == "n";
      lost += is_native ? 0 : loss;
      ASSERT_LE(lost, 0.02 * call + Trial::risky_calls * loss + 1e-6)
          << foretold_ns << ", " << call;
    }
    EXPECT_EQ(trial.verdict(), Side::native) << foretold_ns;
  }
}

TEST(Trial, LetsOneLateCallBe) {
  Trial trial;
  calls_from_begin(trial, 1, 200, 100'000);
  calls_of(trial, 1, 200, 100);
  EXPECT_EQ(calls_of(trial, 100, 200, 100), "nfffnf");
}

TEST(Trial, DecidesInTheEnd) {
  Trial hardly;
  EXPECT_EQ(calls_from_begin(hardly, 100, 102, 100),
            "nnnffn"
            "fffn"
            "nnnnffffn"
            "n")
      << "others may be better";
  EXPECT_EQ(hardly.verdict(), Side::native);
  Trial slower;
  EXPECT_EQ(calls_from_begin(slower, 100, 100, 101),
            "nnnffn"
            "fffn"
            "n")
      << "a tie is worth no more";
  EXPECT_EQ(slower.verdict(), Side::native);
  Trial equal;
  calls_from_begin(equal, 100, 100, 100);
  EXPECT_EQ(equal.verdict(), Side::native) << "whose it is in doubt";
  Trial faster;
  EXPECT_EQ(calls_from_begin(faster, 100, 106, 100), "nnnffnfffnnnnnffffnf") << "beyond doubt";
  EXPECT_EQ(faster.verdict(), Side::foretold);
}

TEST(Trial, TakesItsTimeWhereCallsDiffer) {
  Trial trial;
  for (const std::int64_t ns : {80, 110, 140}) calls_of(trial, 1, ns, 0);
  trial.begin(0, 3 + Trial::warm_after);
  std::string letters;
  while (!trial.verdict() && letters.size() < 100) {
    const auto sway = static_cast<std::int64_t>(letters.size() % 3) * 30;
    letters += calls_of(trial, 1, 80 + sway, 73 + sway);
  }
  EXPECT_EQ(letters.size(), 67U);
  EXPECT_EQ(trial.verdict(), Side::foretold);
}

TEST(Trial, LetsNativeRunTwiceWhereItHasNotYet) {
  Trial slower;
  slower.begin();
  EXPECT_EQ(calls_of(slower, 100, 100, 300), "fffnnfn");
  EXPECT_EQ(slower.verdict(), Side::native);
  Trial faster;
  faster.begin();
  EXPECT_EQ(calls_of(faster, 100, 300, 100), "fffnnff");
  EXPECT_EQ(faster.verdict(), Side::foretold);
  Trial close;
  close.begin();
  EXPECT_EQ(calls_of(close, 100, 130, 100), "fffnnfnnnnffffnf");
  EXPECT_EQ(close.verdict(), Side::foretold);
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

TEST(Trial, LooksAgainAtWhatHasWon) {
  Trial trial;
  calls_from_begin(trial, 100, 200, 100);
  EXPECT_EQ(calls_of(trial, 1198, 200, 100, false), std::string(1198, 'f'));
  EXPECT_EQ(calls_of(trial, 14, 200, 100, false), "fnnnnnnffffffn");
  EXPECT_EQ(trial.verdict(), Side::foretold);
  EXPECT_EQ(calls_of(trial, 2400, 200, 100, false), std::string(2400, 'f'));
  EXPECT_EQ(calls_of(trial, 13, 200, 250, false), "nnnnnnffffffn") << "later than before";
  calls_of(trial, 1, 200, 250, false);
  EXPECT_EQ(trial.verdict(), Side::native) << "which the machine has come to suit better";
  EXPECT_DOUBLE_EQ(trial.ratio(), 0.8);
}

TEST(Trial, TakesOverWhatWasShownElsewhere) {
  Trial trial;
  trial.begin_settled();
  EXPECT_TRUE(trial.is_settled());
  EXPECT_EQ(calls_of(trial, 10'800, 200, 100, false), std::string(10'800, 'f'));
  EXPECT_EQ(calls_of(trial, 13, 200, 250, false), "nnnnnnfffffff");
  calls_of(trial, 1, 200, 250, false);
  EXPECT_EQ(trial.verdict(), Side::native);
}

TEST(Trial, LooksAgainWhenThatCostsNextToNothing) {
  EXPECT_EQ(calls_until_asked_again(0, 0), 1000);
  EXPECT_EQ(calls_until_asked_again(50, 0), 10'000);
  EXPECT_EQ(calls_until_asked_again(50, 1), 20'000);
  EXPECT_EQ(calls_until_asked_again(50, 9), 160'000);
}

TEST(Trial, TimesNothingThatIsSettled) {
  Trial trial;
  calls_from_begin(trial, 100, 200, 100);
  trial.begin_call();
  EXPECT_FALSE(trial.is_timed());
}

}  // namespace
}  // namespace suiro
