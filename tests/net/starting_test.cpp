// SPDX-License-Identifier: BSD-3-Clause
// The first messages of a job on a machine that is much too busy: every step of an opening
// exchange takes as long as it likes, and still nobody may be given up.
#include <gtest/gtest.h>

#include "simulation.hpp"

namespace suiro::net {
namespace {

/// Every process sends to every other, some of them at once, some later. Who opens a stream waits
/// for as long as three steps may take.
void start(std::uint64_t seed, int rails, std::int64_t longest_delay_ns, std::uint64_t hosts) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << rails << " rails, " << hosts
                                  << " hosts, " << longest_delay_ns << " ns");
  Settings settings;
  settings.handshake_timeout_ns = 3 * longest_delay_ns;
  Conditions conditions;
  conditions.longest_delay_ns = longest_delay_ns;
  World world(seed, conditions);
  constexpr std::uint64_t processes = 4;
  std::vector<std::uint64_t> received(processes * processes);
  for (std::uint64_t one = 0; one < processes; ++one) world.add(settings, rails, 1 + one % hosts);
  for (std::uint64_t to = 0; to < processes; ++to)
    for (std::uint64_t from = 0; from < processes; ++from)
      if (from != to)
        world.processes[to]->receive(any_peer, from, 0, &received[to * processes + from], 8);
  for (std::uint64_t from = 0; from < processes; ++from) {
    for (std::uint64_t to = 0; to < processes; ++to)
      if (from != to)
        ASSERT_EQ(world.processes[from]->send(*world.processes[to], from, &seed, 8), Status::ok);
    const auto pause = world.network.random()() % static_cast<std::uint64_t>(longest_delay_ns);
    world.network.run_until(world.network.now_ns() + static_cast<std::int64_t>(pause));
  }
  const auto over = [&] {
    return std::ranges::all_of(world.processes, [](const auto& process) {
      return process->ended() == 2 * (processes - 1);
    });
  };
  ASSERT_TRUE(world.until(over));
  for (std::uint64_t one = 0; one < received.size(); ++one)
    EXPECT_EQ(received[one], one % (processes + 1) == 0 ? 0 : seed);
  for (const auto& process : world.processes) {
    for (const Completion& completion : process->log.completions)
      EXPECT_EQ(completion.status, Status::ok);
    for (const auto& other : world.processes)
      EXPECT_EQ(process->engine.failure(process->peer(*other)), "");
  }
}

TEST(Starting, GivesNobodyUpHoweverLongEachStepTakes) {
  for (const std::int64_t longest_delay_ns : {second / 1000, second / 4, second / 2})
    for (const int rails : {1, 2})
      for (const std::uint64_t hosts : {1UL, 2UL, 4UL})
        for (std::uint64_t seed = 1; seed <= 50; ++seed)
          start(seed, rails, longest_delay_ns, hosts);
}

}  // namespace
}  // namespace suiro::net
