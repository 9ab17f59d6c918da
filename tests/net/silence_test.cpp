// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/silence.hpp"

#include <gtest/gtest.h>

namespace suiro::net {
namespace {

constexpr std::int64_t second = 1'000'000'000;

struct SilenceTest : testing::Test {
  Settings settings;  // 1 s without progress, 5 s to open, 30 s without any rail
  Silence silence{settings, true};
};

TEST_F(SilenceTest, OfOneRailIsTheRails) {
  EXPECT_EQ(silence.stall_limit_ns(), second);
  silence.left_a_rail(0);
  EXPECT_EQ(silence.stall_limit_ns(), second);
  silence.left_a_rail(0);
  EXPECT_EQ(silence.stall_limit_ns(), 2 * second);
  EXPECT_EQ(silence.opening_limit_ns(), 4 * second);
}

TEST_F(SilenceTest, IsBornNoLongerThanHalfOfWhatAPeerMayTake) {
  for (int i = 0; i < 20; ++i) silence.left_a_rail(0);
  EXPECT_EQ(silence.stall_limit_ns(), 15 * second);
  EXPECT_EQ(silence.opening_limit_ns(), 30 * second);
}

TEST_F(SilenceTest, IsForgottenWhenAnswersComeSoon) {
  silence.left_a_rail(0);
  silence.left_a_rail(0);
  silence.note(0, false, 8 * second);  // four limits of 2 s
  EXPECT_EQ(silence.stall_limit_ns(), 2 * second);
  silence.note(0, false, 8 * second + 1);
  EXPECT_EQ(silence.stall_limit_ns(), second);
}

TEST_F(SilenceTest, IsNotForgottenWhereItIsNeeded) {
  silence.left_a_rail(0);
  silence.left_a_rail(0);
  silence.note(second * 8 / 5, true, 8 * second);
  silence.note(0, false, 16 * second);
  EXPECT_EQ(silence.stall_limit_ns(), 2 * second) << "since the long one";
  silence.note(second * 8 / 5, false, 17 * second);
  EXPECT_EQ(silence.stall_limit_ns(), second) << "nobody had asked it to speak";
}

TEST_F(SilenceTest, IsBornLongerWhereThereIsNoOtherRail) {
  const Silence alone(settings, false);
  EXPECT_EQ(silence.opening_limit_ns(), 2 * second);
  EXPECT_EQ(alone.opening_limit_ns(), 5 * second);
}

}  // namespace
}  // namespace suiro::net
