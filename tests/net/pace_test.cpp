// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/pace.hpp"

#include <gtest/gtest.h>

namespace suiro::net {
namespace {

constexpr std::int64_t us = 1'000;
constexpr std::uint64_t most = 512 << 10;

/// A range of a stream that takes so long until it begins, and carries 1 byte per ns from then on.
Pace::Answer answer(std::int64_t round_trip_ns, std::uint64_t length) {
  return {.length = length, .asked_ns = 1, .first_ns = 1 + round_trip_ns, .first_bytes = 0};
}

void note(Pace& pace, std::int64_t round_trip_ns, std::uint64_t length) {
  pace.note(answer(round_trip_ns, length), 1 + round_trip_ns + static_cast<std::int64_t>(length));
}

TEST(Pace, IsNotKnownAtFirst) {
  const Pace pace;
  EXPECT_EQ(pace.round_trip_ns(), 0);
  EXPECT_EQ(pace.ahead(most, false).bytes, 0U);
}

TEST(Pace, KeepsTheShortestRoundTrip) {
  Pace pace;
  note(pace, 400 * us, 1 << 20);
  EXPECT_EQ(pace.round_trip_ns(), 400 * us);
  note(pace, 100 * us, 1 << 20);
  EXPECT_EQ(pace.round_trip_ns(), 100 * us);
  note(pace, 740 * us, 1 << 20);
  EXPECT_EQ(pace.round_trip_ns(), 110 * us) << "it is forgotten slowly";
}

TEST(Pace, TakesWhatWasReadFirstForCarriedBefore) {
  Pace pace;
  Pace::Answer late = answer(100 * us, 200'000);  // the reader looked when half of it was there
  late.first_ns += 100 * us;
  late.first_bytes = 100'000;
  pace.note(late, 1 + 300 * us);
  EXPECT_NEAR(static_cast<double>(pace.round_trip_ns()), 100.0 * us, us);
}

TEST(Pace, LetsAFarLinkCarryWhatFillsItUntilTheAnswer) {
  Pace pace;
  note(pace, 100 * us, 1 << 20);
  const Ahead ahead = pace.ahead(most, true);
  EXPECT_FALSE(ahead.only_whole);
  EXPECT_NEAR(static_cast<double>(ahead.bytes), 100'000, 100);
  EXPECT_EQ(ahead.of_longer(), ahead.bytes);
}

TEST(Pace, LetsANearLinkCarryWholeMessagesOnly) {
  Pace pace;
  note(pace, 10 * us, 1 << 20);
  const Ahead ahead = pace.ahead(most, false);
  EXPECT_TRUE(ahead.only_whole);
  EXPECT_NEAR(static_cast<double>(ahead.bytes), 200'000, 4'000);
  EXPECT_EQ(ahead.of_longer(), 0U);
  EXPECT_EQ(pace.ahead(most, true).bytes, 0U) << "several rails are faster";
  EXPECT_EQ(pace.ahead(64 << 10, false).bytes, 64U << 10);
}

TEST(Pace, SaysNothingOfAStreamThatHadOthersToServe) {
  Pace pace;
  pace.note({.length = 1 << 20, .asked_ns = 0, .first_ns = 5, .first_bytes = 9}, 1000 * us);
  EXPECT_EQ(pace.ahead(most, false).bytes, 0U);
}

}  // namespace
}  // namespace suiro::net
