// SPDX-License-Identifier: BSD-3-Clause
// Threads that call count as long as they live, and make a crowd where cores are few.
#include "net/calling_threads.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "net/waiting.hpp"

namespace suiro::net {
namespace {

TEST(CallingThreads, AreThoseAliveThatHaveCalled) {
  count_calling_thread();
  const int before = calling_threads();
  std::thread([&] {
    EXPECT_EQ(calling_threads(), before) << "it has not called";
    count_calling_thread();
    count_calling_thread();
    EXPECT_EQ(calling_threads(), before + 1);
  }).join();
  EXPECT_EQ(calling_threads(), before);
}

/// Three ranks on four cores, each with one thread or two.
TEST(Patience, EndsWhereThreadsThatCallOutnumberCores) {
  count_calling_thread();
  ASSERT_EQ(calling_threads(), 1);
  const Patience patience(3, 4);
  EXPECT_FALSE(patience.crowded());
  std::thread([&] {
    count_calling_thread();
    EXPECT_TRUE(patience.crowded());
  }).join();
  EXPECT_FALSE(patience.crowded());
}

}  // namespace
}  // namespace suiro::net
