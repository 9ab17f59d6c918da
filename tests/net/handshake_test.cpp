// SPDX-License-Identifier: BSD-3-Clause
// Honest pairs agree however their bytes are cut; nobody else gets in.
#include "net/protocol/handshake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "base/random.hpp"

namespace suiro::net {
namespace {

using Bytes = std::vector<std::byte>;
using State = Handshake::State;

const std::vector<std::uint8_t> secret(16, 42);
const std::vector<std::uint8_t> other_secret(16, 43);

Name a_name(std::uint8_t number) {
  Name name;
  name.rails = 2;
  name.port = 4711;
  name.addresses[0] = 0x0100000a;
  name.addresses[1] = 0x0100010a;
  name.nonce.fill(number);
  return name;
}

const Name opener_name = a_name(1);
const Name acceptor_name = a_name(2);
const Introduction a_bulk_stream{StreamKind::bulk, 5, opener_name, 77};

Handshake opener() { return Handshake::open(a_bulk_stream, acceptor_name, secret); }
Handshake acceptor() { return Handshake::accept(acceptor_name, secret); }

/// Feeds `first` bytes, then the rest one by one. Returns how many were taken.
std::size_t feed(Handshake& handshake, const Bytes& bytes, std::size_t first) {
  const auto all = std::span(bytes);
  std::size_t taken = handshake.feed(all.first(std::min(first, all.size())));
  for (std::size_t i = taken; i < bytes.size(); ++i) taken += handshake.feed(all.subspan(i, 1));
  return taken;
}

/// Runs both sides to their end.
void run(Handshake& opener, Handshake& acceptor, std::size_t cut = 1 << 10) {
  feed(acceptor, opener.to_write(), cut);
  feed(opener, acceptor.to_write(), cut);
  feed(acceptor, opener.to_write(), cut);
  if (acceptor.state() == State::proved) acceptor.welcome({true, 12});
  feed(opener, acceptor.to_write(), cut);
}

TEST(Handshake, HonestPairsAgreeHoweverTheirBytesAreCut) {
  for (std::size_t cut = 0; cut < 110; ++cut) {
    Handshake ours = opener();
    Handshake theirs = acceptor();
    run(ours, theirs, cut);
    ASSERT_EQ(ours.state(), State::finished) << "cut at " << cut;
    ASSERT_EQ(theirs.state(), State::finished) << "cut at " << cut;
    EXPECT_TRUE(ours.welcome().accepted);
    EXPECT_EQ(ours.welcome().received, 12U);
    EXPECT_EQ(theirs.introduction().kind, StreamKind::bulk);
    EXPECT_EQ(theirs.introduction().stream, 5);
    EXPECT_EQ(theirs.introduction().name, opener_name);
    EXPECT_EQ(theirs.introduction().received, 77U);
  }
}

TEST(Handshake, TakesNoMoreThanItNeeds) {
  Handshake ours = opener();
  Handshake theirs = acceptor();
  theirs.feed(ours.to_write());
  ours.feed(theirs.to_write());
  Bytes proof = ours.to_write();
  const std::size_t bytes = proof.size();
  proof.resize(bytes + 100);
  EXPECT_EQ(theirs.feed(proof), bytes);
  ASSERT_EQ(theirs.state(), State::proved);
  EXPECT_EQ(theirs.feed(proof), 0U);
  theirs.welcome({false, 0});
  Bytes welcome = theirs.to_write();
  welcome.resize(bytes + 100);
  EXPECT_EQ(ours.feed(welcome), bytes);
  EXPECT_EQ(ours.state(), State::finished);
  EXPECT_FALSE(ours.welcome().accepted);
}

TEST(Handshake, WithoutASecretTheNonceIsTheKey) {
  Handshake ours = Handshake::open(a_bulk_stream, acceptor_name, {});
  Handshake theirs = Handshake::accept(acceptor_name, {});
  run(ours, theirs);
  EXPECT_EQ(ours.state(), State::finished);
  EXPECT_EQ(theirs.state(), State::finished);
}

TEST(Handshake, RefusesAnotherSecretOrNonceOnBothSides) {
  Handshake wrong_secret = Handshake::open(a_bulk_stream, acceptor_name, other_secret);
  Handshake wrong_nonce = Handshake::open(a_bulk_stream, a_name(3), secret);
  for (Handshake* ours : {&wrong_secret, &wrong_nonce}) {
    Handshake theirs = acceptor();
    run(*ours, theirs);
    EXPECT_EQ(ours->state(), State::failed);
    EXPECT_THAT(ours->failure(), testing::HasSubstr("secret"));
    EXPECT_EQ(theirs.state(), State::under_way) << "it waits for a proof that never comes";
    // Whoever does not mind a wrong answer does not know the proof either.
    theirs.feed(Bytes(40));
    EXPECT_EQ(theirs.state(), State::failed);
    EXPECT_TRUE(theirs.to_write().empty());
  }
}

TEST(Handshake, RefusesAReplay) {
  Handshake ours = opener();
  Handshake theirs = acceptor();
  const Bytes hello = ours.to_write();
  theirs.feed(hello);
  ours.feed(theirs.to_write());
  const Bytes proof = ours.to_write();
  Handshake again = acceptor();
  again.feed(hello);
  EXPECT_EQ(again.feed(proof), proof.size());
  EXPECT_EQ(again.state(), State::failed);
}

TEST(Handshake, RefusesItsOwnWordsSentBack) {
  Handshake theirs = acceptor();
  theirs.feed(opener().to_write());
  const Bytes answer = theirs.to_write();
  const Bytes its_proof(answer.begin() + 24, answer.end());  // with 8 bytes before the MAC
  theirs.feed(its_proof);
  EXPECT_EQ(theirs.state(), State::failed);

  Handshake ours = opener();
  const Bytes hello = ours.to_write();
  ours.feed(std::span(hello).first(64));
  EXPECT_EQ(ours.state(), State::failed);
}

// One bit, anywhere in what either side says, is enough.
TEST(Handshake, RefusesEveryChangedBit) {
  for (int message = 0; message < 4; ++message) {
    for (std::size_t place = 0;; ++place) {
      Handshake ours = opener();
      Handshake theirs = acceptor();
      Bytes bytes;
      for (int i = 0; i <= message; ++i) {
        Handshake& speaker = i % 2 == 0 ? ours : theirs;
        Handshake& listener = i % 2 == 0 ? theirs : ours;
        if (i == 3) theirs.welcome({true, 0});
        bytes = speaker.to_write();
        if (i == message && place < bytes.size()) bytes[place] ^= std::byte{0x40};
        listener.feed(bytes);
      }
      if (place >= bytes.size()) break;
      if (message == 3) {
        ASSERT_EQ(ours.state(), State::failed) << "welcome, byte " << place;
        continue;
      }
      ours.feed(theirs.to_write());
      theirs.feed(ours.to_write());
      ASSERT_NE(theirs.state(), State::proved) << "message " << message << ", byte " << place;
    }
  }
}

TEST(Handshake, RefusesOtherProtocolsWithoutAWord) {
  constexpr std::string_view text = "GET / HTTP/1.1\r\n\r\n";
  Bytes bytes(200);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(text[i % text.size()]);
  Handshake theirs = acceptor();
  EXPECT_LE(theirs.feed(bytes), bytes.size());
  EXPECT_EQ(theirs.state(), State::failed);
  EXPECT_TRUE(theirs.to_write().empty());
  EXPECT_EQ(theirs.feed(bytes), 0U) << "it listens no more";
}

TEST(Handshake, TellsOneThatGaveUpFromAStranger) {
  Handshake ours = opener();
  Handshake early = acceptor();
  feed(early, ours.farewell(), 0);
  EXPECT_EQ(early.state(), State::failed);
  EXPECT_TRUE(early.has_left());

  Handshake begun = opener();
  Handshake later = acceptor();
  feed(later, begun.to_write(), 0);
  feed(later, begun.farewell(), 0);
  EXPECT_EQ(later.state(), State::failed);
  EXPECT_TRUE(later.has_left());
}

TEST(Handshake, SaysNoFarewellOnceItHasProvedItself) {
  Handshake ours = opener();
  Handshake theirs = acceptor();
  feed(theirs, ours.to_write(), 0);
  feed(ours, theirs.to_write(), 0);
  feed(theirs, ours.to_write(), 0);
  EXPECT_EQ(theirs.state(), State::proved);
  EXPECT_TRUE(ours.farewell().empty());
}

TEST(Handshake, StaysUnderWayWhileBytesAreMissing) {
  Handshake theirs = acceptor();
  Bytes hello = opener().to_write();
  hello.pop_back();
  theirs.feed(hello);
  EXPECT_EQ(theirs.state(), State::under_way);
  EXPECT_TRUE(theirs.to_write().empty());
}

TEST(Random, IsReplacedForReplays) {
  set_random_source([](std::span<std::uint8_t> bytes) { std::ranges::fill(bytes, 7); });
  const Bytes hello = opener().to_write();
  EXPECT_EQ(opener().to_write(), hello);
  set_random_source({});
  EXPECT_NE(opener().to_write(), hello);
}

}  // namespace
}  // namespace suiro::net
