// SPDX-License-Identifier: BSD-3-Clause
#include "net/protocol/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace suiro::net {
namespace {

std::uint64_t budget_of_rank_on_host_with(const char* ranks) {
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", ranks, 1);
  return settings_from_environment().unexpected_budget;
}

TEST(Settings, RanksOfAHostShareTheMemoryForWhatNobodyAskedFor) {
  unsetenv("SUIRO_NET_UNEXPECTED");
  EXPECT_EQ(budget_of_rank_on_host_with("1"), 64U << 20);
  EXPECT_EQ(budget_of_rank_on_host_with("16"), 64U << 20);
  EXPECT_EQ(budget_of_rank_on_host_with("128"), 8U << 20);
  EXPECT_EQ(budget_of_rank_on_host_with("100000"), 1U << 20);
}

TEST(Settings, WhatIsSetHoldsForEachRank) {
  setenv("SUIRO_NET_UNEXPECTED", "64M", 1);
  EXPECT_EQ(budget_of_rank_on_host_with("128"), 64U << 20);
  unsetenv("SUIRO_NET_UNEXPECTED");
}

}  // namespace
}  // namespace suiro::net
