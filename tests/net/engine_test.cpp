// SPDX-License-Identifier: BSD-3-Clause
// What the engine promises to its users, one thing at a time, on the simulated network.
#include "net/engine/engine.hpp"

#include <gtest/gtest.h>

#include "simulation.hpp"

namespace suiro::net {
namespace {

using Kind = Completion::Kind;

struct Engines : ::testing::Test {
  void settle() { world.network.run_until(world.network.now_ns() + second); }
  /// A peek's answer.
  Completion peek(std::uint64_t tag, bool claim, bool discard) {
    PeekRequest request;
    request.pattern = {.tag = tag};
    request.claim = claim;
    request.discard = discard;
    request.sink = &b.log;
    request.context = &request_context;
    b.engine.peek(request);
    const Completion answer = b.log.completions.back();
    b.log.completions.pop_back();
    return answer;
  }

  int request_context = 0;
  World world{1};
  Process& a = world.add();
  Process& b = world.add();
};

TEST_F(Engines, DeliverEveryLengthPostedOrNot) {
  for (const bool posted : {true, false}) {
    for (const std::size_t bytes : {0UL, 1UL, 4096UL, 65536UL, 65537UL, 1UL << 20, 3000001UL}) {
      const auto data = bytes_of(bytes);
      std::vector<std::uint8_t> target(bytes);
      a.log.completions.clear();
      b.log.completions.clear();
      if (posted) b.receive(any_peer, 7, 0, target.data(), bytes);
      ASSERT_EQ(a.send(b, 7, data.data(), bytes), Status::ok);
      if (!posted) {
        settle();
        b.receive(b.peer(a), 7, 0, target.data(), bytes);
      }
      ASSERT_TRUE(world.until([&] { return a.log.completions.size() == 1 && b.ended() == 1; }));
      EXPECT_EQ(b.log.completions[0].status, Status::ok);
      EXPECT_EQ(b.log.completions[0].length, bytes);
      EXPECT_EQ(b.log.completions[0].envelope.source, b.peer(a));
      EXPECT_EQ(target, data);
      EXPECT_TRUE(a.engine.idle());
    }
  }
}

TEST_F(Engines, WriteAShortMessageInOneCallAndRememberNothing) {
  world.network.set_cut(false);
  a.send(b, 1, "x", 1);
  settle();
  const std::uint64_t before = a.carrier.writes();
  a.send(b, 1, "y", 1);
  EXPECT_EQ(a.carrier.writes(), before + 1);
  EXPECT_TRUE(a.engine.idle());
  EXPECT_EQ(a.log.completions.size(), 2);
}

TEST_F(Engines, DeliverWhatFits) {
  for (const std::size_t bytes : {100UL, 300'000UL}) {
    const auto data = bytes_of(bytes);
    std::vector<std::uint8_t> target(60);
    b.receive(any_peer, 1, 0, target.data(), 50);
    a.send(b, 1, data.data(), bytes);
    settle();
    ASSERT_EQ(b.log.completions.size(), 1);
    EXPECT_EQ(b.log.completions[0].status, Status::truncated);
    EXPECT_EQ(b.log.completions[0].length, 50);
    EXPECT_EQ(b.log.completions[0].excess, bytes - 50);
    EXPECT_TRUE(std::equal(target.begin(), target.begin() + 50, data.begin()));
    EXPECT_EQ(target[50], 0);
    EXPECT_TRUE(a.engine.idle());
    b.log.completions.clear();
  }
}

TEST_F(Engines, SendToThemselves) {
  for (const std::size_t bytes : {0UL, 10UL, 500'000UL}) {
    for (const bool posted : {true, false}) {
      const auto data = bytes_of(bytes);
      std::vector<std::uint8_t> target(bytes);
      if (posted) a.receive(a.peer(a), 1, 0, target.data(), bytes);
      a.send(a, 1, data.data(), bytes);
      if (!posted) a.receive(any_peer, 1, 0, target.data(), bytes);
      EXPECT_EQ(a.log.completions.size(), 2);
      EXPECT_EQ(target, data);
      a.log.completions.clear();
    }
  }
}

TEST_F(Engines, CompleteADeliveryBeforeAnybodyAsksForIt) {
  for (const std::size_t bytes : {0UL, 1000UL, 60'000UL}) {
    const auto data = bytes_of(bytes);
    a.log.completions.clear();
    EXPECT_EQ(a.send(b, 1, data.data(), bytes, nullptr, false, true), Status::ok);
    EXPECT_TRUE(a.log.completions.empty());
    EXPECT_TRUE(world.until([&] { return a.ended() == 1; })) << bytes;
  }
  EXPECT_EQ(b.engine.statistics().unexpected_now, 3);
}

/// The test that libfabric's tcp provider fails at 65 messages.
TEST_F(Engines, NeverHangBehindMessagesThatNobodyWantsYet) {
  for (const std::size_t bytes : {0UL, 1000UL, 100'000UL}) {
    for (const int count : {65, 1000, 100'000}) {
      World crowded(2);
      Process& sender = crowded.add();
      Process& receiver = crowded.add();
      const auto data = bytes_of(bytes);
      for (int one = 0; one < count; ++one)
        ASSERT_EQ(sender.send(receiver, 1, data.data(), bytes), Status::ok);
      sender.send(receiver, 2, "x", 1);
      char target = 0;
      receiver.receive(any_peer, 2, 0, &target, 1);
      ASSERT_TRUE(crowded.until([&] { return receiver.ended() == 1; })) << count << ", " << bytes;
      EXPECT_EQ(target, 'x');
      EXPECT_LE(receiver.engine.statistics().most_unexpected_bytes,
                Settings().unexpected_budget / 4);
      EXPECT_EQ(receiver.engine.statistics().unexpected_now, count);
    }
  }
}

TEST(Injection, IsBoundedAndGoesOn) {
  World world(4);
  Settings settings;
  settings.inject_budget = 5000;
  Process& a = world.add(settings);
  Process& b = world.add(settings);
  std::uint32_t accepted = 0;
  for (; accepted < 1000; ++accepted)
    if (a.send(b, 1, &accepted, sizeof accepted, nullptr, true) != Status::ok) break;
  EXPECT_LT(accepted, 20);
  EXPECT_GT(accepted, 5);
  std::vector<std::uint32_t> received(accepted);
  for (std::uint32_t& one : received) b.receive(any_peer, 1, 0, &one, sizeof one);
  ASSERT_TRUE(world.until([&] { return b.ended() == accepted; }));
  for (std::uint32_t one = 0; one < accepted; ++one) EXPECT_EQ(received[one], one);
  EXPECT_EQ(a.send(b, 1, &accepted, sizeof accepted, nullptr, true), Status::ok);
}

TEST_F(Engines, CancelWhatHasNotMatched) {
  char target = 0;
  int first = 0, second_one = 0;
  b.receive(any_peer, 1, 0, &target, 1, &first);
  b.receive(any_peer, 1, 0, &target, 1, &second_one);
  EXPECT_TRUE(b.engine.cancel(&first));
  ASSERT_EQ(b.log.completions.size(), 1);
  EXPECT_EQ(b.log.completions[0].status, Status::cancelled);
  EXPECT_EQ(b.log.completions[0].context, &first);
  EXPECT_FALSE(b.engine.cancel(&first));
  a.send(b, 1, "x", 1);
  settle();
  ASSERT_EQ(b.log.completions.size(), 2);
  EXPECT_EQ(b.log.completions[1].context, &second_one);
  EXPECT_FALSE(b.engine.cancel(&second_one));
}

TEST_F(Engines, PeekClaimAndDiscard) {
  EXPECT_EQ(peek(1, false, false).status, Status::no_message);
  for (const std::size_t bytes : {3UL, 300'000UL}) {
    const auto data = bytes_of(bytes);
    std::vector<std::uint8_t> target(bytes);
    for (int one = 0; one < 3; ++one) a.send(b, 1, data.data(), bytes);
    settle();
    EXPECT_EQ(peek(1, false, false).envelope.length, bytes);
    EXPECT_EQ(peek(1, true, false).status, Status::ok);
    EXPECT_EQ(peek(1, false, true).status, Status::ok);
    b.receive(any_peer, 1, 0, target.data(), bytes);
    settle();
    EXPECT_EQ(b.ended(), 1);
    EXPECT_EQ(peek(1, false, false).status, Status::no_message);
    const iovec piece{.iov_base = target.data(), .iov_len = bytes};
    ReceiveRequest request;
    request.buffers = {&piece, 1};
    request.sink = &b.log;
    request.context = &request_context;
    target.assign(bytes, 0);
    EXPECT_EQ(b.engine.receive_claimed(request), Status::ok);
    EXPECT_EQ(b.engine.receive_claimed(request), Status::invalid);
    settle();
    EXPECT_EQ(b.ended(), 2);
    EXPECT_EQ(target, data);
    a.send(b, 1, data.data(), bytes);
    settle();
    peek(1, true, false);
    EXPECT_EQ(b.engine.discard_claimed(&request_context, &b.log, 0), Status::ok);
    settle();
    EXPECT_EQ(a.ended(), 4);
    a.log.completions.clear();
    b.log.completions.clear();
  }
}

TEST_F(Engines, FillOneBufferWithManyMessages) {
  for (const bool posted : {true, false}) {
    std::vector<std::uint8_t> buffer(1000);
    const iovec piece{.iov_base = buffer.data(), .iov_len = buffer.size()};
    ReceiveRequest request;
    request.multi = true;
    request.multi_minimum = 200;
    request.buffers = {&piece, 1};
    request.sink = &b.log;
    if (posted) b.engine.receive(request);
    const auto data = bytes_of(300);
    for (int one = 0; one < 4; ++one) a.send(b, 0, data.data() + one, 250);
    settle();
    if (!posted) b.engine.receive(request);
    ASSERT_EQ(b.log.completions.size(), 4);
    for (std::size_t one = 0; one < 4; ++one) {
      const Completion& completion = b.log.completions[one];
      EXPECT_EQ(completion.buffer, buffer.data() + one * 250);
      EXPECT_EQ(completion.buffer_released, one == 3);
      EXPECT_TRUE(std::equal(data.begin() + static_cast<std::ptrdiff_t>(one),
                             data.begin() + static_cast<std::ptrdiff_t>(one) + 250,
                             buffer.begin() + static_cast<std::ptrdiff_t>(one) * 250));
    }
    b.log.completions.clear();
  }
}

TEST_F(Engines, ForgetASink) {
  const auto data = bytes_of(3'000'000);
  auto target = std::make_unique<std::vector<std::uint8_t>>(data.size());
  b.receive(any_peer, 1, 0, target->data(), target->size());
  b.receive(any_peer, 2, 0, target->data(), target->size());
  a.send(b, 1, data.data(), data.size());
  world.until([&] { return b.engine.statistics().rails[0].received_bytes > 100'000; });
  b.engine.forget(&b.log);
  target.reset();  // the memory is the user's again
  settle();
  EXPECT_TRUE(b.log.completions.empty());
  EXPECT_EQ(a.ended(), 1);
  char after = 0;
  Log other;
  const iovec piece{.iov_base = &after, .iov_len = 1};
  ReceiveRequest request;
  request.pattern.tag = 2;
  request.buffers = {&piece, 1};
  request.sink = &other;
  b.engine.receive(request);
  a.send(b, 2, "x", 1);
  settle();
  EXPECT_EQ(after, 'x');
}

TEST_F(Engines, PartAsFriends) {
  char target = 0;
  b.receive(any_peer, 1, 0, &target, 1);
  a.send(b, 1, "x", 1);
  a.engine.finish(world.network.now_ns() + second);
  ASSERT_TRUE(world.until([&] { return a.engine.idle(); }));
  settle();
  world.network.kill(a.carrier);
  settle();
  EXPECT_EQ(target, 'x');
  EXPECT_EQ(b.ended(), 1);
  EXPECT_EQ(b.send(a, 1, "x", 1), Status::unreachable);
}

/// Nobody waits for the other to take what the other will never ask for.
TEST(Parting, DoesNotWaitForWhatNobodyWants) {
  for (const int rails : {1, 2}) {
    World world(6);
    Process& a = world.add({}, rails);
    Process& b = world.add({}, rails);
    const auto data = bytes_of(1 << 20);
    std::vector<std::uint8_t> target(data.size());
    b.receive(any_peer, 2, 0, target.data(), target.size());
    for (Process* process : {&a, &b})
      for (Process* other : {&a, &b}) process->send(*other, 1, data.data(), data.size());
    world.network.run_until(second);
    a.send(b, 2, data.data(), data.size());  // this one is wanted
    a.engine.finish(world.network.now_ns() + 30 * second);
    world.network.run_until(world.network.now_ns() + second / 1000);
    b.send(a, 1, data.data(), data.size());  // too late
    world.network.run_until(world.network.now_ns() + second);
    EXPECT_FALSE(a.engine.idle()) << "b may still ask for its message";
    b.engine.finish(world.network.now_ns() + 30 * second);
    ASSERT_TRUE(world.until([&] { return a.engine.idle() && b.engine.idle(); }, 1));
    EXPECT_EQ(target, data);
  }
}

/// Nor does anybody tell who is gone that a message is not wanted.
TEST_F(Engines, PartAfterTheSenderOfAClaimedMessageDied) {
  const auto data = bytes_of(300'000);
  a.send(b, 1, data.data(), data.size());
  settle();
  EXPECT_EQ(peek(1, true, false).status, Status::ok);
  world.network.kill(a.carrier);
  world.network.run_until(world.network.now_ns() + 60 * second);
  b.engine.finish(world.network.now_ns() + 30 * second);
  EXPECT_TRUE(world.until([&] { return b.engine.idle(); }, 1));
}

/// However slow the machine is, at least where there is no other rail to be tried.
TEST(Crossing, IsSettledTheSameWayAtBothEnds) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const bool slow = seed > 100;
    Conditions conditions;
    if (slow) conditions.longest_delay_ns = 400'000'000;
    World world(seed, conditions);
    const int rails = slow || seed % 2 == 0 ? 1 : 2;
    Process& a = world.add({}, rails);
    Process& b = world.add({}, rails);
    std::uint64_t to_a = 0, to_b = 0;
    a.receive(any_peer, 1, 0, &to_a, sizeof to_a);
    b.receive(any_peer, 1, 0, &to_b, sizeof to_b);
    a.send(b, 1, &seed, sizeof seed);
    const std::uint64_t part = static_cast<std::uint64_t>(conditions.longest_delay_ns) / 25;
    world.network.run_until(static_cast<std::int64_t>(seed % 100 * part));
    b.send(a, 1, &seed, sizeof seed);
    ASSERT_TRUE(world.until([&] { return a.ended() == 2 && b.ended() == 2; })) << seed;
    world.network.run_until(world.network.now_ns() + 10 * second);
    EXPECT_EQ(to_a, seed);
    EXPECT_EQ(to_b, seed);
    for (Process* process : {&a, &b}) {
      std::uint64_t opened = 0;
      for (const auto& rail : process->engine.statistics().rails) opened += rail.streams_opened;
      EXPECT_EQ(opened, 1) << seed;
      EXPECT_EQ(process->engine.statistics().refused_streams, 0) << seed;
    }
  }
}

}  // namespace
}  // namespace suiro::net
