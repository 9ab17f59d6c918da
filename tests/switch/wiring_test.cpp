// SPDX-License-Identifier: BSD-3-Clause
// Routes: the shortest, spread over equal links by destination.
#include "switch/wiring.hpp"

#include <gtest/gtest.h>

namespace suiro {
namespace {

SwitchConfig network(int switches, const std::vector<int>& switch_of_host,
                     const std::vector<std::array<int, 2>>& links) {
  SwitchConfig config;
  config.switches.resize(static_cast<std::size_t>(switches));
  for (const int at_switch : switch_of_host) {
    config.ports.emplace_back();
    config.ports.back().at_switch = at_switch;
  }
  for (const auto& ends : links) config.links.push_back({ends, 1'000'000, {}});
  return config;
}

TEST(Wiring, HostsComeBeforeLinks) {
  const Wiring wiring = wire(network(2, {0, 1, 0}, {{0, 1}}));
  EXPECT_EQ(wiring.hosts[2], (Place{0, 1}));
  EXPECT_EQ(wiring.links[0], (std::array{Place{0, 2}, Place{1, 1}}));
  EXPECT_TRUE(wiring.ports[0][2].inner);
  EXPECT_FALSE(wiring.ports[0][1].inner);
}

TEST(Wiring, AFatTreeTakesSpineDModK) {
  const Wiring wiring = wire(network(4, {0, 0, 0, 1, 1, 1}, {{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_EQ(wiring.routes[0], (Routes{0, 1, 2, 4, 3, 4}));  // up: the spine is target % 2
  EXPECT_EQ(wiring.routes[1], (Routes{3, 4, 3, 0, 1, 2}));
  EXPECT_EQ(wiring.routes[2], (Routes{0, 0, 0, 1, 1, 1}));  // down: to the target's leaf
}

TEST(Wiring, AChainOfSitesGoesByTheOneBetween) {
  const Wiring wiring = wire(network(3, {0, 1, 2}, {{0, 1}, {1, 2}}));
  EXPECT_EQ(wiring.routes[0], (Routes{0, 1, 1}));
  EXPECT_EQ(wiring.routes[1], (Routes{1, 0, 2}));
}

TEST(Wiring, SeparateSwitchesHaveNoWay) {
  const Wiring wiring = wire(network(2, {0, 1}, {}));
  EXPECT_EQ(wiring.routes[0], (Routes{0, -1}));
}

}  // namespace
}  // namespace suiro
