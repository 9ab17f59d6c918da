// SPDX-License-Identifier: BSD-3-Clause
// The clock alone, and then a whole switch whose program comes late again and again.
#include "switch/network_clock.hpp"

#include <gtest/gtest.h>

#include <random>

#include "simulated_hosts.hpp"

namespace suiro {
namespace {

constexpr std::int64_t rate_bps = 100'000'000;
constexpr Time mtu_time = Time{8} * 1538 * second / rate_bps;

TEST(NetworkClock, MakesUpForDelaysThatAreAllowed) {
  NetworkClock clock(100);
  EXPECT_EQ(clock.finish(1000, 1100), 100);
  EXPECT_EQ(clock.stopped(), 0);
  EXPECT_EQ(clock.network(5000), 5000);
}

TEST(NetworkClock, StandsStillForTheRest) {
  NetworkClock clock(100);
  EXPECT_EQ(clock.finish(1000, 1350), 350);
  EXPECT_EQ(clock.stopped(), 250);
  EXPECT_EQ(clock.network(1350), 1100);
  EXPECT_EQ(clock.real(1100), 1350);
  EXPECT_EQ(clock.real(never), never);
  clock.reset_counters();
  EXPECT_EQ(clock.stopped(), 0);
  EXPECT_EQ(clock.network(1350), 1100);
}

/// What the switch program does, on a clock that now and then jumps by up to `delay_max`, before an
/// event is handled or meanwhile.
class LateSwitch final : public Hosts {
 public:
  LateSwitch(Time late_max, Time delay_max)
      : clock_(late_max), delay_(0, delay_max), simulated_(ports, rate_bps) {
    for (int port = 0; port < ports; ++port) {
      simulated_.sources[static_cast<std::size_t>(port)] = [this, port] {
        return simulated_.make((port + 1) % ports);
      };
    }
    fabric_ = make_fabric(Model::hol, 0, simulated_.config, *this);
    simulated_.network = fabric_.get();
    windows_.resize(ports, RateWindow(rate_bps, 1500));
    for (int port = 0; port < ports; ++port) fabric_->wake(port, 0);
  }

  /// How many windows brought a host too much.
  std::int64_t violations_after(int events) {
    for (int i = 0; i < events; ++i) {
      const Time due = fabric_->next_event();
      real_ = std::max(real_, clock_.real(due)) + jump();
      fabric_->step();
      real_ += jump();
      for (const auto& [port, bytes] : delivered_) windows_[port].add(real_, bytes);
      delivered_.clear();
      clock_.finish(due, real_);
    }
    std::int64_t sum = 0;
    for (const RateWindow& window : windows_) sum += window.violations();
    return sum;
  }

  Time stopped() const { return clock_.stopped(); }

  Run pull(int port) override { return simulated_.pull(port); }
  void deliver(int port, const Segment& segment) override {
    delivered_.emplace_back(static_cast<std::size_t>(port), wire_bytes(segment.bytes()));
    simulated_.deliver(port, segment);
  }
  void discard(const Segment& segment) override { simulated_.discard(segment); }

 private:
  static constexpr int ports = 4;

  Time jump() { return random_() % 50 == 0 ? delay_(random_) : 0; }

  NetworkClock clock_;
  std::uniform_int_distribution<Time> delay_;
  SimulatedHosts simulated_;
  std::minstd_rand random_{1};
  std::unique_ptr<Fabric> fabric_;
  std::vector<RateWindow> windows_;
  std::vector<std::pair<std::size_t, int>> delivered_;
  Time real_ = 0;
};

TEST(NetworkClock, KeepsEveryWindowWithinTheRateHoweverLateTheProgramIs) {
  for (const Time delay_max : {mtu_time, 3 * mtu_time, 20 * mtu_time, 200 * mtu_time}) {
    LateSwitch late(mtu_time, delay_max);
    EXPECT_EQ(late.violations_after(100'000), 0) << delay_max;
  }
}

TEST(NetworkClock, WithoutALimitCatchingUpViolatesWindows) {
  LateSwitch late(never / 2, 20 * mtu_time);
  EXPECT_GT(late.violations_after(100'000), 100);
  EXPECT_EQ(late.stopped(), 0);
}

TEST(NetworkClock, AProgramThatIsOnTimeLosesNothing) {
  LateSwitch on_time(mtu_time, 0);
  EXPECT_EQ(on_time.violations_after(10'000), 0);
  EXPECT_EQ(on_time.stopped(), 0);
}

}  // namespace
}  // namespace suiro
