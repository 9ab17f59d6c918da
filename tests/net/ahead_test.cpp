// SPDX-License-Identifier: BSD-3-Clause
// The first part of a long message goes with its request, once it is known what the link carries
// until the answer comes; and a message that the link is soon through with goes at once.
#include <gtest/gtest.h>

#include "net/frames/core.hpp"
#include "simulation.hpp"

namespace suiro::net {
namespace {

constexpr std::size_t length = 1 << 20;

struct GoingAhead : ::testing::Test {
  static Conditions conditions() {
    Conditions conditions;
    conditions.shortest_delay_ns = conditions.longest_delay_ns = 50'000;
    conditions.buffer_bytes = 16 << 20;
    return conditions;
  }
  void settle() { world.network.run_until(world.network.now_ns() + second); }
  /// From its sending to its arrival.
  std::int64_t one_message(std::size_t bytes = length) {
    std::vector<std::uint8_t> target(bytes);
    b.receive(any_peer, 1, 0, target.data(), target.size());
    const std::size_t before = b.ended();
    const std::int64_t from_ns = world.network.now_ns();
    a.send(b, 1, data.data(), bytes);
    EXPECT_TRUE(world.until([&] { return b.ended() > before; }));
    const std::int64_t took_ns = world.network.now_ns() - from_ns;
    EXPECT_TRUE(std::equal(target.begin(), target.end(), data.begin()));
    settle();
    return took_ns;
  }
  /// Tells the sender, too, what has been taken.
  void answer() {
    a.receive(any_peer, 2, 0, nullptr, 0);
    b.send(a, 2, nullptr, 0);
    settle();
  }
  std::uint64_t ahead() const { return a.engine.statistics().ahead_bytes_sent; }
  std::uint64_t asked() const { return a.engine.statistics().requests_sent; }

  explicit GoingAhead(const Conditions& conditions = GoingAhead::conditions(),
                      const Settings& settings = {})
      : world(1, conditions), a(world.add(settings)), b(world.add(settings)) {}

  World world;
  Process& a;
  Process& b;
  std::vector<std::uint8_t> data = bytes_of(length);
};

TEST_F(GoingAhead, HidesTheRoundTrip) {
  one_message();
  EXPECT_EQ(ahead(), 0) << "nothing was known of the link";
  const std::int64_t asked_ns = one_message();  // connections exist; credit is still small
  for (int one = 0; one < 4; ++one) one_message();
  const std::uint64_t before = ahead();
  const std::int64_t ahead_ns = one_message();
  // A round trip is 0.1 ms, in which a link carries 125 KB; reads here come late and in parts.
  EXPECT_GE(ahead() - before, 60'000);
  EXPECT_LE(ahead() - before, 256 << 10);
  EXPECT_LT(ahead_ns, asked_ns);
  EXPECT_GT(ahead_ns, static_cast<std::int64_t>(length / conditions().bytes_per_ns));
}

TEST_F(GoingAhead, IsBufferedUntilSomebodyAsks) {
  for (int one = 0; one < 4; ++one) one_message();
  const std::uint64_t before = ahead();
  a.send(b, 1, data.data(), data.size());
  a.send(b, 1, data.data(), data.size());
  settle();
  const std::uint64_t buffered = b.engine.statistics().unexpected_bytes_now;
  EXPECT_GT(buffered, ahead() - before);
  EXPECT_LE(buffered, 2 * cost(256 << 10));
  for (const std::size_t room : {length, std::size_t{100}}) {
    std::vector<std::uint8_t> target(room);
    b.receive(any_peer, 1, 0, target.data(), target.size());
    settle();
    EXPECT_EQ(b.log.completions.back().status, room == length ? Status::ok : Status::truncated);
    EXPECT_TRUE(std::equal(target.begin(), target.end(), data.begin()));
  }
  EXPECT_EQ(b.engine.statistics().unexpected_bytes_now, 0);
  EXPECT_TRUE(a.engine.idle());
}

TEST_F(GoingAhead, ComesInPartToReceivesThatAreMatchedOrForgottenMeanwhile) {
  for (int one = 0; one < 4; ++one) one_message();
  for (const bool forgotten : {false, true}) {
    std::vector<std::uint8_t> target(length);
    if (forgotten) b.receive(any_peer, 1, 0, target.data(), target.size());
    const std::uint64_t before = b.engine.statistics().rails[0].received_bytes;
    const std::size_t sent = a.ended();
    a.send(b, 1, data.data(), data.size());
    world.until([&] { return b.engine.statistics().rails[0].received_bytes > before + (4 << 10); });
    b.log.completions.clear();
    if (forgotten)
      b.engine.forget(&b.log);
    else
      b.receive(any_peer, 1, 0, target.data(), target.size());
    settle();
    EXPECT_EQ(b.ended(), forgotten ? 0 : 1);
    EXPECT_EQ(a.ended(), sent + 1);
    EXPECT_TRUE(a.engine.idle());
    if (!forgotten) EXPECT_EQ(target, data);
  }
  one_message();
}

TEST_F(GoingAhead, EndsWithItsSender) {
  for (int one = 0; one < 4; ++one) one_message();
  std::vector<std::uint8_t> target(length);
  b.receive(any_peer, 1, 0, target.data(), target.size());
  const std::uint64_t before = b.engine.statistics().rails[0].received_bytes;
  b.log.completions.clear();
  a.send(b, 1, data.data(), data.size());
  world.until([&] { return b.engine.statistics().rails[0].received_bytes > before + (4 << 10); });
  world.network.kill(a.carrier);
  world.network.run_until(world.network.now_ns() + 60 * second);
  ASSERT_EQ(b.ended(), 1);
  EXPECT_EQ(b.log.completions[0].status, Status::unreachable);
}

TEST_F(GoingAhead, NeedsNoRequestWhereTheLinkIsSoonThrough) {
  for (int one = 0; one < 6; ++one) one_message();
  // In 0.2 ms the link carries 250 KB, and a request and its answer take half of that.
  const std::uint64_t before = asked();
  one_message(130'000);
  EXPECT_EQ(asked(), before);
  one_message(300'000);
  EXPECT_EQ(asked(), before + 1);
}

TEST_F(GoingAhead, IsAskedForNowAndThenSoThatTheLinkIsMeasuredAgain) {
  for (int one = 0; one < 6; ++one) one_message();
  const std::uint64_t before = asked();
  for (int one = 0; one < 65; ++one) one_message(100'000);
  EXPECT_EQ(asked(), before + 1);
}

/// Links within a rack: nothing is gained by beginning before the answer.
struct Near : GoingAhead {
  Near()
      : GoingAhead([] {
          Conditions near = conditions();
          near.shortest_delay_ns = near.longest_delay_ns = 2'000;
          near.cut = false;
          return near;
        }()) {}
};

TEST_F(Near, LongerMessagesWaitForTheAnswer) {
  for (int one = 0; one < 6; ++one) one_message();
  EXPECT_EQ(ahead(), 0);
  one_message(200'000);  // brings the credit for the next
  const std::uint64_t before = asked();
  one_message(200'000);
  EXPECT_EQ(asked(), before);
}

TEST_F(Near, IsAskedForNowAndThenToMeasureTheLink) {
  for (int one = 0; one < 6; ++one) one_message();
  const std::uint64_t before = asked();
  for (int one = 0; one < 130; ++one) {
    one_message(130'000);
    answer();
  }
  EXPECT_EQ(asked(), before + 2);
}

TEST_F(Near, ItsMemoryIsNotFilledByOneThatIsFaster) {
  for (int one = 0; one < 6; ++one) one_message();
  one_message(200'000);
  const std::uint64_t before = asked();
  for (int one = 0; one < 4; ++one) a.send(b, 1, data.data(), 200'000);
  settle();
  EXPECT_EQ(asked(), before + 3);
  EXPECT_LE(b.engine.statistics().unexpected_bytes_now, 4 * cost(200'000));
  std::vector<std::uint8_t> target(length);
  for (int one = 0; one < 4; ++one) b.receive(any_peer, 1, 0, target.data(), target.size());
  answer();
  one_message(200'000);
  EXPECT_EQ(asked(), before + 3) << "what went ahead has been taken";
}

/// Links that carry 1 MB in the time that a short message may be kept waiting.
struct Fast : GoingAhead {
  static Conditions conditions() {
    Conditions fast = GoingAhead::conditions();
    fast.bytes_per_ns = 10;
    fast.cut = false;
    fast.shortest_delay_ns = fast.longest_delay_ns = 2'000;
    return fast;
  }
  explicit Fast(const Settings& settings = {}) : GoingAhead(conditions(), settings) {}
  /// How many of these were asked for.
  std::uint64_t asked_of(int messages, bool answered) {
    const std::uint64_t before = asked();
    for (int one = 0; one < messages; ++one) {
      one_message(data.size());
      if (answered) answer();
    }
    return asked() - before;
  }
};

TEST_F(Fast, MessagesOfAMegabyteGoAtOnceBetweenPeersThatTakeTurns) {
  EXPECT_EQ(asked_of(6, false), 6) << "nobody answered";
  answer();
  EXPECT_EQ(asked_of(1, true), 1) << "the one before was not answered";
  EXPECT_EQ(asked_of(1, true), 1) << "this one brings the credit for the next";
  EXPECT_EQ(asked_of(60, true), 0);
  EXPECT_EQ(asked_of(3, false), 2) << "the first was sent after an answer";
  EXPECT_EQ(ahead(), 0);
}

TEST_F(Fast, AStreamOfThemIsAskedForWhereOnlyEveryThirdIsAnswered) {
  asked_of(6, false);
  for (int window = 0; window < 4; ++window) {
    EXPECT_EQ(asked_of(3, false), 3);
    answer();
  }
}

TEST_F(Near, MessagesOfAMegabyteGoAtOnceInTurns) {
  for (int one = 0; one < 8; ++one) {
    one_message();
    answer();
  }
  const std::uint64_t before = asked();
  one_message();
  EXPECT_EQ(asked(), before) << "250 KB may go at once, so 8 times as much in turns";
}

TEST_F(Fast, InTurnsFourMegabytesGoAtOnceAndNotAByteMore) {
  for (const bool fits : {true, false}) {
    data = bytes_of((4 << 20) + (fits ? 0 : 1));
    asked_of(3, true);
    EXPECT_EQ(asked_of(10, true), fits ? 0 : 10);
  }
}

TEST_F(Fast, BothMaySendAtOnce) {
  data = bytes_of(4 << 20);
  std::vector<std::uint8_t> to_a(data.size()), to_b(data.size());
  std::uint64_t before = 0;
  for (int one = 0; one < 8; ++one) {
    if (one == 6) before = asked();
    const std::size_t ended = a.ended() + b.ended();
    a.send(b, 1, data.data(), data.size());
    b.send(a, 1, data.data(), data.size());
    settle();
    a.receive(any_peer, 1, 0, to_a.data(), to_a.size());
    b.receive(any_peer, 1, 0, to_b.data(), to_b.size());
    settle();
    EXPECT_EQ(a.ended() + b.ended(), ended + 4);
    EXPECT_TRUE(to_a == data && to_b == data);
  }
  EXPECT_EQ(asked(), before) << "each has had the other's";
}

/// Links as fast, for more ranks than cores.
struct Crowded : Fast {
  Crowded()
      : Fast([] {
          Settings settings;
          settings.local_ranks = 2;
          return settings;
        }()) {}
};

TEST_F(Crowded, NothingMoreGoesAtOnceInTurns) { EXPECT_EQ(asked_of(8, true), 8); }

/// Links that carry little in the time that a short message may be kept waiting.
struct Slow : GoingAhead {
  Slow()
      : GoingAhead([] {
          Conditions slow = conditions();
          slow.bytes_per_ns = 0.125;
          slow.cut = false;
          slow.shortest_delay_ns = slow.longest_delay_ns = 2'000;
          return slow;
        }()) {}
};

TEST_F(Slow, NothingLongGoesAtOnce) {
  for (int one = 0; one < 6; ++one) one_message();
  const std::uint64_t before = asked();
  one_message(70'000);
  EXPECT_EQ(asked(), before + 1);
  EXPECT_EQ(ahead(), 0);
}

/// Two rails share a message that is asked for.
TEST(SeveralRails, AskForWhatOneWouldCarrySoon) {
  Settings settings;
  settings.rails = RailPolicy::striped;
  World world{1, GoingAhead::conditions()};
  Process& a = world.add(settings, 2);
  Process& b = world.add(settings, 2);
  const std::vector<std::uint8_t> data = bytes_of(length);
  std::vector<std::uint8_t> target(length);
  for (const std::size_t bytes : {length, length, length, std::size_t{240'000}}) {
    const std::uint64_t before = a.engine.statistics().requests_sent;
    b.receive(any_peer, 1, 0, target.data(), bytes);
    a.send(b, 1, data.data(), bytes);
    world.network.run_until(world.network.now_ns() + second);
    EXPECT_EQ(a.engine.statistics().requests_sent, before + 1);
  }
}

/// A rail fails in the middle of a message of 4 MB that was not asked for.
struct LostRail {
  LostRail() {
    for (int turn = 0; turn < 4; ++turn) {
      receive();
      a.send(b, 1, data.data(), bytes);
      settle();
      a.receive(any_peer, 2, 0, nullptr, 0);
      b.send(a, 2, nullptr, 0);
      settle();
    }
    std::ranges::fill(target, 0);
  }
  static Settings settings() {
    Settings settings;
    settings.rails = RailPolicy::fixed;
    settings.stall_timeout_ns = second / 10;
    return settings;
  }
  void settle() { world.network.run_until(world.network.now_ns() + second); }
  void receive() { b.receive(any_peer, 1, 0, target.data(), bytes); }
  std::uint64_t received(int rail) {
    return b.engine.statistics().rails[static_cast<std::size_t>(rail)].received_bytes;
  }
  /// Until the other end has half of it; the rail that carries it.
  int send_half() {
    const std::uint64_t asked = a.engine.statistics().requests_sent;
    const std::uint64_t before[] = {received(0), received(1)};
    const auto half = [&](int rail) { return received(rail) > before[rail] + bytes / 2; };
    a.send(b, 1, data.data(), bytes);
    EXPECT_TRUE(world.until([&] { return half(0) || half(1); }));
    EXPECT_EQ(a.engine.statistics().requests_sent, asked);
    return half(0) ? 0 : 1;
  }

  static constexpr std::size_t bytes = 4 << 20;
  World world{1, Fast::conditions()};
  Process& a = world.add(settings(), 2);
  Process& b = world.add(settings(), 2);
  const std::vector<std::uint8_t> data = bytes_of(bytes);
  std::vector<std::uint8_t> target = std::vector<std::uint8_t>(bytes);
};

TEST(SeveralRails, AMessageThatWentAtOnceComesAgainWhenItsOwnIsLost) {
  for (const bool silent : {false, true}) {
    for (const bool expected : {true, false}) {
      LostRail pair;
      const std::size_t ended = pair.b.ended();
      if (expected) pair.receive();
      const int rail = pair.send_half();
      if (silent)
        pair.world.network.stall(pair.b.carrier, rail);
      else
        pair.world.network.break_streams(pair.b.carrier, rail);
      pair.settle();
      if (!expected) pair.receive();
      pair.settle();
      ASSERT_EQ(pair.b.ended(), ended + 1);
      EXPECT_EQ(pair.b.log.completions.back().status, Status::ok);
      EXPECT_TRUE(pair.target == pair.data);
      EXPECT_EQ(pair.b.engine.statistics().unexpected_bytes_now, 0);
      EXPECT_TRUE(pair.a.engine.idle());
      if (silent) EXPECT_GT(pair.received(1 - rail), LostRail::bytes);
    }
  }
}

}  // namespace
}  // namespace suiro::net
