// SPDX-License-Identifier: BSD-3-Clause
// Several rails: which are used, how well, and what happens when they fail.
#include <gtest/gtest.h>

#include <set>

#include "net/links/paths.hpp"
#include "simulation.hpp"

namespace suiro::net {
namespace {

constexpr double gigabit = 0.125;  // bytes per ns

struct Pair {
  Pair(int rails, RailPolicy policy, std::int64_t delay_ns = 20'000,
       std::int64_t peer_timeout_ns = 3 * second)
      : Pair(rails, rails, policy, delay_ns, peer_timeout_ns) {}

  Pair(int rails_of_a, int rails_of_b, RailPolicy policy, std::int64_t delay_ns = 20'000,
       std::int64_t peer_timeout_ns = 3 * second)
      : world(7, conditions(delay_ns)) {
    Settings settings;
    settings.rails = policy;
    settings.stall_timeout_ns = second / 10;
    settings.peer_timeout_ns = peer_timeout_ns;
    a = &world.add(settings, rails_of_a);
    b = &world.add(settings, rails_of_b);
    for (int rail = 0; rail < rails_of_a; ++rail) world.network.set_rate(a->carrier, rail, gigabit);
    for (int rail = 0; rail < rails_of_b; ++rail) world.network.set_rate(b->carrier, rail, gigabit);
  }

  static Conditions conditions(std::int64_t delay_ns) {
    Conditions conditions;
    conditions.shortest_delay_ns = conditions.longest_delay_ns = delay_ns;
    conditions.cut = false;
    conditions.buffer_bytes = 1 << 20;
    return conditions;
  }

  void set_rate(int rail, double bytes_per_ns) {
    world.network.set_rate(a->carrier, rail, bytes_per_ns);
    world.network.set_rate(b->carrier, rail, bytes_per_ns);
  }

  void begin(std::size_t bytes) {
    data = bytes_of(bytes);
    target.assign(bytes, 0);
    b->log.completions.clear();
    b->receive(any_peer, 1, 0, target.data(), bytes);
    a->send(*b, 1, data.data(), bytes);
  }

  bool end() {
    return world.until([&] { return b->ended() == 1; }) && target == data;
  }

  /// Seconds that a message takes, connections and what is known of the rails being there.
  double time(std::size_t bytes) {
    begin(bytes);
    EXPECT_TRUE(end());
    const std::int64_t before = world.network.now_ns();
    begin(bytes);
    EXPECT_TRUE(end());
    return static_cast<double>(world.network.now_ns() - before) / second;
  }

  std::uint64_t received(std::size_t rail) {
    return b->engine.statistics().rails[rail].received_bytes;
  }

  World world;
  Process* a;
  Process* b;
  std::vector<std::uint8_t> data, target;
};

TEST(Rails, AddUp) {
  const std::size_t bytes = 16 << 20;
  const double one = Pair(1, RailPolicy::balanced).time(bytes);
  EXPECT_LT(one, 1.03 * static_cast<double>(bytes) / gigabit / second);
  for (const RailPolicy policy : {RailPolicy::balanced, RailPolicy::striped}) {
    for (int rails = 2; rails <= 4; ++rails)
      EXPECT_GT(one / Pair(rails, policy).time(bytes), 0.97 * rails) << rails;
    for (const int slow : {0, 1}) {
      Pair mixed(2, policy);
      mixed.set_rate(slow, 0.4 * gigabit);
      EXPECT_GT(one / mixed.time(bytes), 0.95 * 1.4) << "rail " << slow << " is slow";
    }
  }
}

TEST(Rails, NodesMayHaveDifferentNumbersOfThem) {
  const std::size_t bytes = 16 << 20;
  const double one = Pair(1, RailPolicy::balanced).time(bytes);
  for (const RailPolicy policy : {RailPolicy::balanced, RailPolicy::striped}) {
    for (const auto& [mine, theirs] : {std::pair{4, 2}, {2, 4}, {3, 1}, {1, 3}})
      EXPECT_GT(one / Pair(mine, theirs, policy).time(bytes), 0.97 * std::min(mine, theirs))
          << mine << " and " << theirs;
  }
}

TEST(Rails, OneIsUsedIfTheyAreFixed) {
  Pair pair(2, RailPolicy::fixed);
  pair.time(4 << 20);
  EXPECT_TRUE(pair.received(0) < 10'000 || pair.received(1) < 10'000);
}

TEST(Rails, ALongFrameOnSlowOnesIsNotTakenForSilence) {
  Pair pair(2, RailPolicy::fixed);
  pair.time(1000);
  const std::size_t bytes = 60'000;  // eager
  const double rate = bytes / (0.25 * second);
  for (int rail = 0; rail < 2; ++rail) pair.set_rate(rail, rate);
  const std::uint64_t before = pair.received(0) + pair.received(1);
  const std::int64_t begin_ns = pair.world.network.now_ns();
  pair.begin(bytes);
  ASSERT_TRUE(pair.end());
  EXPECT_LT(pair.world.network.now_ns() - begin_ns, 0.3 * second);
  EXPECT_LT(pair.received(0) + pair.received(1) - before, 1.1 * bytes);
}

/// Answers take eight times the limit on both: the limit has to grow.
TEST(Rails, SlowAnswersOnAllAreWaitedFor) {
  Pair pair(2, RailPolicy::striped, 4 * second / 10, 30 * second);
  pair.begin(60'000);
  ASSERT_TRUE(pair.end());
  const std::int64_t begin_ns = pair.world.network.now_ns();
  pair.begin(4 << 20);
  ASSERT_TRUE(pair.end());
  EXPECT_LT(pair.world.network.now_ns() - begin_ns, 12 * second);
}

/// All links down for a while, as when a switch starts again, and then quick answers for a while:
/// the next link that dies is found out as soon as the first.
TEST(Rails, LimitsThatGrewShrinkAgain) {
  Pair pair(2, RailPolicy::fixed, 20'000, 30 * second);
  SimulatedNetwork& network = pair.world.network;
  const auto time_without = [&](int rail) {
    network.stall(pair.b->carrier, rail);
    const std::int64_t begin_ns = network.now_ns();
    pair.begin(1000);
    EXPECT_TRUE(pair.end());
    network.restore(pair.b->carrier, rail);
    return network.now_ns() - begin_ns;
  };
  const auto longest = [&] { return std::max(time_without(0), time_without(1)); };
  pair.time(1000);
  for (int rail = 0; rail < 2; ++rail) network.stall(pair.b->carrier, rail);
  pair.begin(1000);
  network.run_until(network.now_ns() + 4 * second);
  for (int rail = 0; rail < 2; ++rail) network.restore(pair.b->carrier, rail);
  ASSERT_TRUE(pair.end());
  const std::int64_t grown_ns = longest();
  for (int message = 0; message < 3000; ++message) {
    pair.begin(1000);
    ASSERT_TRUE(pair.end());
    network.run_until(network.now_ns() + second / 100);
  }
  EXPECT_GT(grown_ns, 4 * second / 10);
  EXPECT_LT(longest(), 3 * second / 10);
}

TEST(Rails, AMessageSurvivesTheLossOfOneAndUsesItAgain) {
  for (const RailPolicy policy : {RailPolicy::striped, RailPolicy::fixed}) {
    for (const bool at_once : {true, false}) {
      for (int rail = 0; rail < 2; ++rail) {
        Pair pair(2, policy);
        pair.begin(16 << 20);
        pair.world.until([&] { return pair.received(0) + pair.received(1) > 4 << 20; });
        pair.world.network.stall(pair.b->carrier, rail);
        if (at_once) pair.world.network.break_streams(pair.b->carrier, rail);
        const std::int64_t before = pair.world.network.now_ns();
        ASSERT_TRUE(pair.end()) << "rail " << rail;
        EXPECT_LT(pair.world.network.now_ns() - before, second);
        pair.world.network.restore(pair.b->carrier, rail);
        pair.world.network.run_until(pair.world.network.now_ns() + 6 * second);
        const auto used = static_cast<std::size_t>(rail);
        const std::uint64_t then = pair.received(used);
        pair.time(16 << 20);
        if (policy == RailPolicy::striped) {
          EXPECT_GT(pair.received(used), then + (4 << 20));
        }
      }
    }
  }
}

/// A host that was suspended for long may lose it; no other stream or rail tells.
TEST(Rails, AStreamThatBreaksAloneIsOpenedAgain) {
  Pair pair(1, RailPolicy::balanced);
  pair.time(1000);
  for (Process* const one : {pair.a, pair.b}) {
    SimulatedNetwork& network = pair.world.network;
    network.run_until(network.now_ns() + 7 * second);  // nothing waits for an opening any more
    const std::uint64_t before = pair.received(0);
    pair.begin(16 << 20);
    pair.world.until([&] { return pair.received(0) - before > 4 << 20; });
    network.break_streams(one->carrier, 0, StreamKind::bulk);
    ASSERT_TRUE(pair.end());
  }
}

/// Who has found out with one peer that a link of its own is gone need not wait as long with the
/// next, and neither need they.
TEST(Rails, ALinkThatIsGoneIsFoundOutOnce) {
  Pair pair(2, RailPolicy::striped);
  const std::size_t bytes = 4 << 20;
  Settings settings;
  settings.rails = RailPolicy::striped;
  settings.stall_timeout_ns = second / 10;
  for (int peers = 0; peers < 3; ++peers) pair.world.add(settings, 2);
  Process& host = *pair.a;
  const auto data = bytes_of(bytes);
  std::vector<std::uint8_t> target(bytes);
  const auto time = [&](Process& from, Process& to) {
    pair.world.network.run_until(pair.world.network.now_ns() + second / 50);  // acknowledged
    const std::int64_t before = pair.world.network.now_ns();
    const std::size_t ended = to.ended();
    to.receive(any_peer, 1, 0, target.data(), bytes);
    from.send(to, 1, data.data(), bytes);
    EXPECT_TRUE(pair.world.until([&] { return to.ended() == ended + 1; }));
    EXPECT_EQ(target, data);
    return pair.world.network.now_ns() - before;
  };
  for (std::size_t peer = 2; peer < 5; ++peer) {
    time(host, *pair.world.processes[peer]);
    time(*pair.world.processes[peer], host);
  }
  pair.world.network.stall(host.carrier, 0);
  EXPECT_GT(time(host, *pair.world.processes[2]), settings.stall_timeout_ns);
  EXPECT_LT(time(host, *pair.world.processes[3]), settings.stall_timeout_ns * 9 / 10);
  EXPECT_LT(time(*pair.world.processes[4], host), settings.stall_timeout_ns * 9 / 10);
}

TEST(Rails, ShortMessagesSurviveTheLossOfEveryRailForAWhile) {
  Pair pair(2, RailPolicy::balanced);
  std::vector<std::uint32_t> sent(1000), received(1000);
  for (std::uint32_t one = 0; one < 1000; ++one) {
    sent[one] = one;
    pair.b->receive(any_peer, 1, 0, &received[one], sizeof one);
  }
  for (std::uint32_t one = 0; one < 1000; ++one) {
    pair.a->send(*pair.b, 1, &sent[one], sizeof one);
    pair.world.network.run_until(pair.world.network.now_ns() + second / 1000);
    if (one == 300) pair.world.network.stall(pair.a->carrier, 0);
    if (one == 500) pair.world.network.stall(pair.b->carrier, 1);
  }
  pair.world.network.restore(pair.b->carrier, 1);
  ASSERT_TRUE(pair.world.until([&] { return pair.b->ended() == 1000 && pair.a->ended() == 1000; }));
  EXPECT_EQ(received, sent);
  EXPECT_GT(pair.a->engine.statistics().frames_sent_again, 0);
}

TEST(Rails, APeerWithoutAnyIsGivenUp) {
  Pair pair(2, RailPolicy::balanced);
  pair.time(1000);
  pair.a->log.completions.clear();
  pair.b->log.completions.clear();
  for (int rail = 0; rail < 2; ++rail) pair.world.network.stall(pair.b->carrier, rail);
  std::vector<std::uint8_t> data(1 << 20);
  char target = 0;
  pair.a->send(*pair.b, 1, data.data(), 10);
  pair.a->send(*pair.b, 1, data.data(), data.size());
  pair.a->receive(pair.a->peer(*pair.b), 5, 0, &target, 1);
  pair.a->receive(any_peer, 6, 0, &target, 1);
  const std::int64_t before = pair.world.network.now_ns();
  // The short send may be complete: its copy was kept.
  ASSERT_TRUE(pair.world.until([&] { return pair.a->ended() == 3; }, 20));
  EXPECT_LT(pair.world.network.now_ns() - before, 5 * second);
  for (const Completion& completion : pair.a->log.completions)
    EXPECT_TRUE(completion.status == Status::unreachable || completion.length == 10);
  EXPECT_EQ(pair.a->send(*pair.b, 1, data.data(), 10), Status::unreachable);
  pair.a->receive(pair.a->peer(*pair.b), 5, 0, &target, 1);
  EXPECT_EQ(pair.a->ended(), 4);
  EXPECT_TRUE(pair.a->engine.cancel(nullptr)) << "who asked for anybody's message still waits";
}

TEST(Rails, AProcessThatDiesIsNoticed) {
  for (int rails = 1; rails <= 2; ++rails) {
    Pair pair(rails, RailPolicy::balanced);
    pair.begin(32 << 20);
    pair.world.until([&] { return pair.received(0) > 1 << 20; });
    pair.world.network.kill(pair.a->carrier);
    ASSERT_TRUE(pair.world.until([&] { return pair.b->ended() == 1; }, 20));
    EXPECT_EQ(pair.b->log.completions[0].status, Status::unreachable);
  }
}

TEST(Rails, AreUsedEquallyHoweverRanksArePaired) {
  SimulatedNetwork network(1, {});
  std::vector<SimulatedCarrier*> one, other;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    one.push_back(&network.add(1, 4, rank));
    other.push_back(&network.add(2, 4, rank));
  }
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::set<int> used;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const SimulatedCarrier& from = *one[rank];
      const SimulatedCarrier& to = *other[(rank + shift) % 4];
      const Paths there = paths_to(from.links(), from.name(), to.name());
      const Paths back = paths_to(to.links(), to.name(), from.name());
      for (std::size_t index = 0; index < 4; ++index)
        EXPECT_EQ(there.routes[index].own_rail, back.routes[index].peer_rail);
      used.insert(there.routes[0].own_rail);
    }
    EXPECT_EQ(used.size(), 4) << "shift " << shift;
  }
}

}  // namespace
}  // namespace suiro::net
