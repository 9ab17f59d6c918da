// SPDX-License-Identifier: BSD-3-Clause
// What the engine promises, one thing at a time, on the simulated network.
#include "net/engine.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "simulation.hpp"

namespace suiro::net {
namespace {

std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint8_t first = 1) {
  std::vector<std::uint8_t> made(bytes);
  std::iota(made.begin(), made.end(), first);
  return made;
}

TEST(Engine, DeliversEveryLengthPostedOrNot) {
  for (const bool posted : {true, false}) {
    World world(1);
    Process& a = world.add();
    Process& b = world.add();
    for (const std::size_t bytes : {0UL, 1UL, 4096UL, 65536UL, 65537UL, 1UL << 20, 3000001UL}) {
      const auto data = pattern(bytes);
      std::vector<std::uint8_t> target(bytes);
      a.log.completions.clear();
      b.log.completions.clear();
      if (posted) b.receive(any_peer, 7, 0, target.data(), bytes);
      ASSERT_EQ(a.send(b, 7, data.data(), bytes), Status::ok);
      if (!posted) {
        world.network.run_until(world.network.now_ns() + second);
        b.receive(b.peer(a), 7, 0, target.data(), bytes);
      }
      ASSERT_TRUE(world.until([&] {
        return a.log.completions.size() == 1 && b.log.completions.size() == 1;
      })) << bytes
          << " bytes, posted: " << posted;
      EXPECT_EQ(b.log.completions[0].status, Status::ok);
      EXPECT_EQ(b.log.completions[0].length, bytes);
      EXPECT_EQ(b.log.completions[0].envelope.source, b.peer(a));
      EXPECT_EQ(target, data);
      EXPECT_TRUE(a.engine.idle());
    }
  }
}

}  // namespace
}  // namespace suiro::net
