// SPDX-License-Identifier: BSD-3-Clause
// The helper hears of arrivals while it keeps watch, and of nothing but the time while the
// application polls.
#include "net/endpoint/lookout.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

namespace suiro::net {
namespace {

constexpr std::int64_t soon_ns = 20'000'000;
constexpr int at_once_ms = 0;
constexpr int long_after_ms = 2000;

struct LookoutTest : ::testing::Test {
  bool wakes(int within_ms) {
    pollfd descriptor{lookout.descriptor(), POLLIN, 0};
    return ::poll(&descriptor, 1, within_ms) == 1;
  }
  void arrive() { ASSERT_EQ(eventfd_write(carrier.number(), 1), 0); }
  void take() {
    eventfd_t count = 0;
    ASSERT_EQ(eventfd_read(carrier.number(), &count), 0);
  }

  Descriptor carrier{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Lookout lookout{carrier.number()};
};

TEST_F(LookoutTest, TellsOfArrivalsOnlyWhileItIsUp) {
  arrive();
  EXPECT_FALSE(lookout.up());
  EXPECT_FALSE(wakes(at_once_ms));
  ASSERT_TRUE(lookout.set_up());
  EXPECT_TRUE(wakes(at_once_ms)) << "what has arrived before";
  lookout.take_down(3600 * soon_ns);
  EXPECT_FALSE(wakes(at_once_ms));
  take();
  ASSERT_TRUE(lookout.set_up());
  EXPECT_FALSE(wakes(at_once_ms));
  arrive();
  EXPECT_TRUE(wakes(at_once_ms));
}

TEST_F(LookoutTest, WakesWhenTheTimeIsOver) {
  ASSERT_TRUE(lookout.set_up());
  lookout.take_down(soon_ns);
  EXPECT_FALSE(wakes(at_once_ms));
  EXPECT_TRUE(wakes(long_after_ms));
  ASSERT_TRUE(lookout.set_up());
  EXPECT_FALSE(wakes(at_once_ms)) << "a time that is over is forgotten";
}

}  // namespace
}  // namespace suiro::net
