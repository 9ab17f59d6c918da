// SPDX-License-Identifier: BSD-3-Clause
// When a peer's host is taken to be gone.
#include "net/tcp/answers.hpp"

#include <gtest/gtest.h>

namespace suiro::net {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t limit = 30 * second;

TEST(Answers, AreMissingWhenNoneHasComeForTheLimit) {
  Answers answers;
  const std::int64_t sent = 100 * second;
  for (std::int64_t now = sent; now < sent + limit; now += 4 * second)
    EXPECT_FALSE(answers.missing({.waits = true, .answered_ns = 10 * second}, now, limit)) << now;
  EXPECT_TRUE(answers.missing({.waits = true, .answered_ns = 10 * second}, sent + limit, limit));
}

TEST(Answers, AreCountedFromTheLast) {
  Answers answers;
  for (std::int64_t now = 100 * second; now < 300 * second; now += 4 * second)
    EXPECT_FALSE(answers.missing({.waits = true, .answered_ns = now - 29 * second}, now, limit));
}

TEST(Answers, AreNotAwaitedWhereNothingIsUnderWay) {
  Answers answers;
  EXPECT_FALSE(answers.missing({.waits = true}, 100 * second, limit));
  EXPECT_FALSE(answers.missing({.waits = false}, 120 * second, limit));
  EXPECT_FALSE(answers.missing({.waits = true}, 140 * second, limit)) << "sent since";
}

/// Its host has answered at once; the process was stopped, and has just sent more.
TEST(Answers, AreAwaitedAnewByWhoWasAway) {
  Answers answers;
  EXPECT_FALSE(answers.missing({.waits = true, .answered_ns = 0}, 100 * second, limit));
  const UnderWay just_sent{.waits = true, .answered_ns = 101 * second};
  for (std::int64_t now = 200 * second; now < 230 * second; now += 3 * second)
    EXPECT_FALSE(answers.missing(just_sent, now, limit));
  EXPECT_TRUE(answers.missing(just_sent, 230 * second, limit));
}

}  // namespace
}  // namespace suiro::net
