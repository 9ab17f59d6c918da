// SPDX-License-Identifier: BSD-3-Clause
#include "switch/rate_window.hpp"

#include <gtest/gtest.h>

#include "switch/lateness.hpp"

namespace suiro {
namespace {

constexpr std::int64_t rate_bps = 50'000'000;
constexpr Time mtu_time = 1538 * 8 * second / rate_bps;

TEST(RateWindow, AcceptsALinkAtItsRate) {
  RateWindow window(rate_bps, 1500);
  for (int i = 0; i < 10000; ++i) window.add(i * mtu_time, 1538);
  EXPECT_EQ(window.violations(), 0);
}

TEST(RateWindow, AcceptsFramesThatAreOneMtuTimeLate) {
  RateWindow window(rate_bps, 1500);
  for (int i = 0; i < 10000; ++i) window.add((i % 5 == 0 ? i + 1 : i) * mtu_time, 1538);
  EXPECT_EQ(window.violations(), 0);
}

TEST(RateWindow, SeesABurst) {
  RateWindow window(rate_bps, 1500);
  for (int i = 0; i < 7; ++i) window.add(second, 1538);
  EXPECT_EQ(window.violations(), 1);
  for (int i = 0; i < 6; ++i) window.add(2 * second, 1538);
  EXPECT_EQ(window.violations(), 1);
  window.reset();
  EXPECT_EQ(window.violations(), 0);
}

TEST(Lateness, FindsPercentiles) {
  Lateness lateness;
  EXPECT_EQ(lateness.percentile(0.99), 0);
  for (Time late = 1; late <= 100'000; ++late) lateness.add(late);
  EXPECT_NEAR(static_cast<double>(lateness.percentile(0.5)), 50'000, 3'500);
  EXPECT_NEAR(static_cast<double>(lateness.percentile(0.99)), 99'000, 6'500);
  EXPECT_EQ(lateness.max(), 100'000);
  lateness.add(-5);
  lateness.add(never);
  EXPECT_EQ(lateness.max(), never);
}

}  // namespace
}  // namespace suiro
