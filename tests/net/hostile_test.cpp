// SPDX-License-Identifier: BSD-3-Clause
// Those who do not belong, and those who do and send nonsense: nobody else notices.
#include <gtest/gtest.h>

#include "net/protocol/frames.hpp"
#include "net/protocol/handshake.hpp"
#include "simulation.hpp"

namespace suiro::net {
namespace {

/// A process that speaks bytes of its own.
struct Intruder : Events {
  explicit Intruder(SimulatedNetwork& network) : carrier(network.add(99, 1)) {
    carrier.attach(*this);
  }

  void connect(const Name& victim, std::vector<std::uint8_t> secret, StreamKind kind) {
    handshake.emplace(Handshake::open(
        {.kind = kind, .name = carrier.name(), .received = 0, .number = 1}, victim, secret));
    stream = carrier.open(victim, {});
  }
  void write(std::span<const std::byte> bytes) {
    const iovec piece{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
    carrier.write(stream, {&piece, 1});
  }
  void write(const Header& header) { write(encode(header).span()); }
  void exchange() {
    if (handshake) write(handshake->to_write());
  }

  void accepted(StreamId, const Route&) override {}
  void opened(StreamId) override { exchange(); }
  void closed(StreamId id, std::string_view) override { ended = ended || id == stream; }
  void writable(StreamId) override {}
  std::span<std::byte> wanted(StreamId) override { return {}; }
  void placed(StreamId, std::size_t) override {}
  void received(StreamId, std::span<const std::byte> bytes) override {
    if (handshake && handshake->state() == Handshake::State::under_way) {
      handshake->feed(bytes);
      exchange();
    }
  }
  void drained(StreamId) override {}
  void alarm() override {}

  SimulatedCarrier& carrier;
  std::optional<Handshake> handshake;
  StreamId stream = no_stream;
  bool ended = false;
};

struct Hostile : ::testing::Test {
  Hostile() : world(5, conditions()) {
    Settings settings;
    settings.job_secret = {1, 2, 3};
    settings.unexpected_budget = 100'000;
    a = &world.add(settings);
    b = &world.add(settings);
  }
  static Conditions conditions() {
    Conditions conditions;
    conditions.cut = false;
    return conditions;
  }
  void settle() { world.network.run_until(world.network.now_ns() + second / 10); }
  const Name& victim() const { return a->carrier.name(); }

  /// Whether two who belong can still talk, in both ways.
  void expect_peace() {
    for (const std::size_t bytes : {10UL, 200'000UL}) {
      const auto data = bytes_of(bytes);
      std::vector<std::uint8_t> target(bytes);
      a->receive(a->peer(*b), 77, 0, target.data(), bytes);
      const std::size_t before = a->ended();
      b->send(*a, 77, data.data(), bytes);
      ASSERT_TRUE(world.until([&] { return a->ended() == before + 1; }));
      EXPECT_EQ(target, data);
    }
  }

  World world;
  Process* a;
  Process* b;
};

TEST_F(Hostile, NonsenseBeforeTheProofIsDropped) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Intruder intruder(world.network);
    intruder.stream = intruder.carrier.open(victim(), {});
    settle();
    const auto bytes = bytes_of(1 + seed * 7, seed);
    intruder.write(std::as_bytes(std::span(bytes)));
    world.network.run_until(world.network.now_ns() + 6 * second);
    EXPECT_TRUE(intruder.ended);
    world.network.kill(intruder.carrier);
  }
  EXPECT_EQ(a->engine.statistics().refused_streams, 50);
  expect_peace();
}

TEST_F(Hostile, AWrongSecretIsRefused) {
  Intruder intruder(world.network);
  intruder.connect(victim(), {1, 2, 4}, StreamKind::control);
  settle();
  EXPECT_EQ(intruder.handshake->state(), Handshake::State::failed);
  world.network.kill(intruder.carrier);
  expect_peace();
}

TEST_F(Hostile, AFloodOfSilentStreamsIsBounded) {
  Intruder intruder(world.network);
  for (int one = 0; one < 1000; ++one) intruder.carrier.open(victim(), {});
  settle();
  EXPECT_EQ(a->engine.statistics().refused_streams, 1000 - 256);
  expect_peace();
  world.network.run_until(world.network.now_ns() + 6 * second);
  EXPECT_EQ(a->engine.statistics().refused_streams, 1000);
  world.network.kill(intruder.carrier);
}

Header header_of(FrameKind kind, std::uint32_t sequence = 0) {
  Header header;
  header.kind = kind;
  header.sequence = sequence;
  return header;
}

TEST_F(Hostile, APeerThatSpeaksNonsenseLosesItsSessionOnly) {
  std::vector<std::vector<Header>> stories;
  stories.push_back({header_of(FrameKind::eager, 1)});  // a gap
  Header header = header_of(FrameKind::acknowledgement);
  header.received = 5;  // frames that were never sent
  stories.push_back({header});
  header = header_of(FrameKind::grant);
  header.message_bytes = 100;  // of nothing
  stories.push_back({header});
  header = header_of(FrameKind::done);
  header.transfer = 3;
  stories.push_back({header});
  std::vector<Header> flood;  // more than the credit allows
  for (std::uint32_t one = 0; one < 2000; ++one) flood.push_back(header_of(FrameKind::eager, one));
  stories.push_back(flood);
  for (const std::vector<Header>& story : stories) {
    Intruder intruder(world.network);
    intruder.connect(victim(), {1, 2, 3}, StreamKind::control);
    settle();
    ASSERT_EQ(intruder.handshake->state(), Handshake::State::finished);
    EXPECT_FALSE(intruder.ended);
    for (const Header& frame : story) intruder.write(frame);
    settle();
    EXPECT_TRUE(intruder.ended);
    world.network.kill(intruder.carrier);
    expect_peace();
  }
}

TEST_F(Hostile, RandomFramesOfAPeerHarmNobody) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    Intruder intruder(world.network);
    const StreamKind kind = seed % 8 == 0 ? StreamKind::bulk : StreamKind::control;
    intruder.connect(victim(), {1, 2, 3}, kind);
    settle();
    std::vector<std::uint8_t> memory(1000);
    const Peer peer = a->engine.peer(intruder.carrier.name());
    a->receive(peer, 0, ~std::uint64_t{0}, memory.data(), memory.size());
    const iovec piece{.iov_base = memory.data(), .iov_len = memory.size()};
    SendRequest request;
    request.peer = peer;
    request.buffers = {&piece, 1};
    request.sink = &a->log;
    a->engine.send(request);
    std::uint32_t sequence = 0;
    for (int one = 0; one < 30; ++one) {
      Header frame = header_of(static_cast<FrameKind>(1 + random() % 8));
      const bool message = frame.kind == FrameKind::eager || frame.kind == FrameKind::request;
      if (frame.kind != FrameKind::acknowledgement)
        frame.sequence = random() % 10 == 0 ? static_cast<std::uint32_t>(random()) : sequence++;
      frame.received = static_cast<std::uint32_t>(random() % 3);
      frame.consumed_bytes = random() % 5 == 0 ? static_cast<std::uint32_t>(random()) : 0;
      if (message || frame.kind == FrameKind::grant) frame.message_bytes = 1 + random() % 3000;
      if (frame.kind == FrameKind::eager)
        frame.payload_bytes = static_cast<std::uint32_t>(frame.message_bytes);
      if (frame.kind == FrameKind::request)
        frame.payload_bytes = static_cast<std::uint32_t>(random() % frame.message_bytes);
      if (frame.kind != FrameKind::eager && frame.kind != FrameKind::acknowledgement &&
          frame.kind != FrameKind::goodbye && frame.kind != FrameKind::leave &&
          frame.kind != FrameKind::want)
        frame.transfer = random() % 3;
      intruder.write(frame);
      intruder.write(std::as_bytes(std::span(memory)).first(frame.payload_bytes % 1000));
    }
    settle();
    world.network.kill(intruder.carrier);
    settle();
  }
  world.network.run_until(world.network.now_ns() + 60 * second);
  expect_peace();
}

}  // namespace
}  // namespace suiro::net
