// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/patience.hpp"

#include <gtest/gtest.h>

namespace suiro::net {
namespace {

constexpr std::int64_t us = 1'000;

TEST(Patience, IsOverAfterSomePollsInVain) {
  Patience patience(true);
  std::int64_t now_ns = 1000 * us;
  EXPECT_EQ(patience.pause_ns(now_ns), 0) << "it computed until now";
  for (int i = 1; i < 8; ++i) EXPECT_EQ(patience.pause_ns(now_ns += us), 0);
  for (const std::int64_t pause : {20, 40, 80, 160, 250, 250})
    EXPECT_EQ(patience.pause_ns(now_ns += us), pause * us);
}

TEST(Patience, BeginsAnewForWhoComputesBetweenPolls) {
  Patience patience(true);
  std::int64_t now_ns = 1000 * us;
  for (int i = 0; i < 12; ++i) patience.pause_ns(now_ns += us);
  EXPECT_EQ(patience.pause_ns(now_ns += 11 * us), 0);
  EXPECT_EQ(patience.pause_ns(now_ns += us), 0);
}

}  // namespace
}  // namespace suiro::net
