// SPDX-License-Identifier: BSD-3-Clause
// Messages that go without being asked for need credit. Without it they wait for it while the peer
// takes those before them, and are asked for if it does not: it may want a later one.
#include <gtest/gtest.h>

#include <deque>

#include "simulation.hpp"

namespace suiro::net {
namespace {

TEST(Credit, BoundsWhatIsBufferedAndKeepsOrder) {
  World world(3);
  Settings settings;
  settings.unexpected_budget = 20'000;
  Process& a = world.add(settings);
  Process& b = world.add(settings);
  std::vector<std::uint32_t> sent(200), received(200);
  for (std::uint32_t one = 0; one < 200; ++one) {
    sent[one] = one;
    a.send(b, 1, &sent[one], sizeof sent[one]);
  }
  world.network.run_until(second);
  EXPECT_LE(b.engine.statistics().most_unexpected_bytes, 10'000);
  EXPECT_GT(a.engine.statistics().requests_for_lack_of_credit, 0);
  for (std::uint32_t& one : received) b.receive(any_peer, 1, 0, &one, sizeof one);
  ASSERT_TRUE(world.until([&] { return b.ended() == 200 && a.ended() == 200; }));
  EXPECT_EQ(received, sent);
  world.network.run_until(world.network.now_ns() + second);
  const std::uint64_t eager = a.engine.statistics().eager_sent;
  a.send(b, 1, sent.data(), 4);
  world.network.run_until(world.network.now_ns() + second);
  EXPECT_EQ(a.engine.statistics().eager_sent, eager + 1) << "credit came back";
}

/// A sender that is faster than the receiver, with more messages than there is credit for.
struct Flood {
  explicit Flood(const Conditions& conditions = {}, std::size_t bytes = 8, int rails = 1,
                 const Settings& settings = {})
      : world(5, conditions),
        a(world.add(settings, rails)),
        b(world.add(settings, rails)),
        bytes(bytes) {}

  /// Each has its number in front.
  void send(int count) {
    for (; count > 0; --count) {
      auto& message = data.emplace_back(bytes);
      for (std::size_t i = 0; i < std::min(bytes, sizeof data.size()); ++i)
        message[i] = static_cast<std::uint8_t>(data.size() >> (8 * i));
      a.send(b, 1, message.data(), bytes);
    }
  }
  /// Whether so many come, in order.
  bool take(int count) {
    std::vector<std::uint8_t> target(bytes);
    for (; count > 0; --count, ++taken) {
      b.receive(any_peer, 1, 0, target.data(), bytes, this);
      if (!world.until([&] { return came() > taken; }) || target != data[taken]) return false;
    }
    return true;
  }
  /// How many have.
  std::size_t came() {
    for (; seen < b.ended(); ++seen) counted += b.log.completions[seen].context == this;
    return counted;
  }
  void pause(std::int64_t ns) { world.network.run_until(world.network.now_ns() + ns); }
  std::uint64_t asked() const { return a.engine.statistics().requests_for_lack_of_credit; }

  World world;
  Process& a;
  Process& b;
  const std::size_t bytes;
  std::deque<std::vector<std::uint8_t>> data;
  std::size_t taken = 0;
  std::size_t seen = 0, counted = 0;  // of b's completions
};

TEST(Credit, IsWaitedForWhileThePeerTakesMessages) {
  for (const std::size_t bytes : {0UL, 8UL, 1000UL, 40'000UL}) {
    Flood flood({}, bytes);
    flood.send(3000);
    ASSERT_TRUE(flood.take(1000)) << bytes;
    flood.send(3000);
    ASSERT_TRUE(flood.take(5000)) << bytes;
    EXPECT_EQ(flood.asked(), 0) << bytes;
    EXPECT_TRUE(flood.world.until([&] { return flood.a.engine.idle(); }));
  }
}

TEST(Credit, IsWaitedForThroughAnOutageOfTheNetwork) {
  Flood flood;
  flood.send(10'000);
  ASSERT_TRUE(flood.take(100));
  flood.world.network.stall(flood.b.carrier, 0);
  flood.pause(second / 4);
  flood.world.network.restore(flood.b.carrier, 0);
  ASSERT_TRUE(flood.take(9900));
  EXPECT_EQ(flood.asked(), 0);
}

/// That a link is gone must be noticed whatever waits for credit.
TEST(Credit, IsWaitedForWhenALinkFails) {
  for (int pause_us = 0; pause_us < 4000; pause_us += 100) {
    Flood flood({}, 8, 2);
    flood.send(10'000);
    ASSERT_TRUE(flood.take(2000));
    flood.pause(pause_us * 1000);
    flood.world.network.stall(flood.a.carrier, 0);
    ASSERT_TRUE(flood.take(8000)) << pause_us;
    EXPECT_LT(flood.world.network.now_ns(), 10 * second) << pause_us;
  }
}

TEST(Credit, IsWaitedForOverAFarLink) {
  Conditions far;
  far.shortest_delay_ns = far.longest_delay_ns = 20'000'000;
  for (const bool both_ways : {false, true}) {
    Flood flood(far);
    flood.send(10'000);
    for (int i = 0; both_ways && i < 10'000; ++i) {
      flood.a.receive(any_peer, 6, 0, nullptr, 0);
      flood.b.send(flood.a, 6, nullptr, 0);
    }
    ASSERT_TRUE(flood.take(10'000));
    EXPECT_EQ(flood.asked(), 0) << both_ways;
  }
}

/// Not for long: the peer wants the last of them.
TEST(Credit, IsNotWaitedForOfAPeerThatTakesNothing) {
  for (const int budget : {1, 100}) {
    Settings settings;
    settings.unexpected_budget /= budget;
    Flood flood({}, 8, 1, settings);
    flood.send(100'000);
    const std::int64_t from_ns = flood.world.network.now_ns();
    flood.a.send(flood.b, 2, "x", 1);
    char last = 0;
    flood.b.receive(any_peer, 2, 0, &last, 1);
    ASSERT_TRUE(flood.world.until([&] { return flood.b.ended() == 1; }));
    EXPECT_EQ(last, 'x');
    EXPECT_GT(flood.asked(), 0);
    EXPECT_LT(flood.world.network.now_ns() - from_ns, second / 10);
  }
}

/// A peer that sends to us, and takes nothing from us before that is done, must hear what we say
/// of its messages, even right behind those of ours that wait.
TEST(Credit, HoldsUpNoFramesBesideMessages) {
  for (int empty = 0; empty < 300; empty += 3) {  // so that another message is the first to wait
    Conditions narrow;
    narrow.buffer_bytes = 8 << 10;
    narrow.cut = false;
    Flood flood(narrow);
    for (int i = 0; i < empty; ++i) flood.a.send(flood.b, 2, nullptr, 0);
    flood.send(2500);
    const auto sent = bytes_of(1 << 20);
    std::vector<std::uint8_t> received(sent.size());
    flood.a.receive(any_peer, 4, 0, received.data(), received.size());
    flood.b.send(flood.a, 4, sent.data(), sent.size());
    ASSERT_TRUE(flood.world.until([&] { return flood.b.ended() == 1; })) << empty;
    EXPECT_LT(flood.world.network.now_ns(), second / 100) << empty;
    EXPECT_EQ(received, sent);
    ASSERT_TRUE(flood.take(2500)) << empty;
  }
}

/// Of a share that grew as large as it may.
TEST(Credit, IsWaitedForWithMuchMemory) {
  Settings settings;
  settings.unexpected_budget = 24UL << 30;
  Flood flood({}, 8, 1, settings);
  flood.send(50'000);
  flood.pause(6'000'000);
  ASSERT_TRUE(flood.take(50'000));
  const std::uint64_t asked = flood.asked();
  EXPECT_GT(asked, 0);
  flood.send(50'000);
  ASSERT_TRUE(flood.take(50'000));
  EXPECT_EQ(flood.asked(), asked);
}

/// Though it gives so little credit at a time, for a longer message, that it speaks of it only if
/// it is asked.
TEST(Credit, IsWaitedForOfAPeerThatTakesShorterMessages) {
  for (const std::int64_t delay_ns : {50'000, 20'000'000}) {
    Conditions conditions;
    conditions.longest_delay_ns = delay_ns;
    Flood flood(conditions, 1000);
    std::vector<std::uint8_t> longer(50'000);
    for (int i = 0; i < 100; ++i) {
      flood.send(50);
      flood.a.send(flood.b, 2, longer.data(), longer.size());
    }
    for (int i = 0; i < 5000; ++i) {
      if (i % 10 == 0) flood.b.send(flood.a, 3, nullptr, 0);  // says that it has everything
      flood.pause(300'000);
      ASSERT_TRUE(flood.take(1));
      if (i % 50 == 49) flood.b.receive(any_peer, 2, 0, longer.data(), longer.size());
    }
    EXPECT_LT(flood.asked(), 50) << delay_ns << ": a hundredth, where delays meet";
  }
}

/// A round trip each: so a peer that was away for a while has few of them to fetch.
TEST(Credit, HasFewMessagesAskedForAtFirst) {
  Flood flood;
  flood.send(50'000);
  flood.pause(6'000'000);
  ASSERT_TRUE(flood.take(50'000));
  EXPECT_GT(flood.asked(), 0);
  EXPECT_LT(flood.asked(), 200);
}

TEST(Credit, BoundsWhatIsInjectedWithoutIt) {
  Flood flood;
  int sent = 0;
  const char message[8] = {};
  const auto inject = [&] {
    for (; sent < 100'000; ++sent)
      if (flood.a.send(flood.b, 1, message, 8, nullptr, true) == Status::try_again) return true;
    return false;
  };
  flood.a.send(flood.b, 2, "x", 1);
  flood.pause(second);
  ASSERT_TRUE(inject());
  EXPECT_LT(sent, 40'000);
  // It does go on, whether the peer takes them or wants the last.
  const std::size_t before = flood.b.ended();
  char last = 0;
  flood.b.receive(any_peer, 3, 0, &last, 1);
  for (int round = 0; round < 1000 && inject(); ++round) flood.pause(1'000'000);
  EXPECT_EQ(sent, 100'000);
  flood.a.send(flood.b, 3, "y", 1);
  ASSERT_TRUE(flood.world.until([&] { return flood.b.ended() > before; }));
  EXPECT_EQ(last, 'y');
}

/// Whoever has heard goodbye does not look for another way when a stream breaks.
TEST(Credit, IsNotWaitedForWhenTheProcessSaysGoodbye) {
  Flood flood({}, 8, 2);
  flood.send(10'000);
  flood.pause(500'000);
  flood.a.engine.finish(flood.world.network.now_ns() + 20 * second);
  flood.pause(200'000);
  flood.world.network.break_streams(flood.a.carrier, 0);
  ASSERT_TRUE(flood.take(10'000));
  EXPECT_TRUE(flood.world.until([&] { return flood.a.engine.idle(); }));
}

TEST(Credit, ThatIsLostWithThePeerEndsTheSends) {
  Flood flood;
  flood.send(10'000);
  flood.pause(500'000);
  flood.world.network.kill(flood.b.carrier);
  EXPECT_TRUE(flood.world.until([&] { return flood.a.ended() == 10'000; }));
  EXPECT_EQ(flood.a.log.completions.back().status, Status::unreachable);
}

}  // namespace
}  // namespace suiro::net
