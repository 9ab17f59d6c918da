// SPDX-License-Identifier: BSD-3-Clause
// Whoever speaks to an acceptor or an opener, in pieces of any size, gets nowhere and harms nobody,
// unless it says what the honest other side says. Challenges are the same in every run, so that the
// seeds of the corpus, which an honest opener has said, are right.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "expect.hpp"
#include "net/protocol/handshake.hpp"

namespace {

using namespace suiro::net;
using suiro::fuzz::expect;
using Bytes = std::span<const std::byte>;

const std::vector<std::uint8_t> secret(16, 42);

Name a_name(std::uint8_t number) {
  Name name;
  name.rails = 1;
  name.port = 4711;
  name.addresses[0] = 0x0100000a;
  name.nonce.fill(number);
  return name;
}

Handshake make_opener() {
  return Handshake::open({StreamKind::control, 0, a_name(1), 3}, a_name(2), secret);
}

/// Returns how many bytes the handshake took before it ended.
std::size_t feed(Handshake& handshake, Bytes bytes, std::size_t piece) {
  std::size_t taken = 0;
  while (taken < bytes.size() && handshake.state() == Handshake::State::under_way) {
    const Bytes part = bytes.subspan(taken, std::min(piece, bytes.size() - taken));
    const std::size_t count = handshake.feed(part);
    expect(count <= part.size(), "a handshake takes what there is");
    taken += count;
  }
  if (handshake.state() != Handshake::State::under_way) {
    expect(handshake.feed(bytes) == 0, "a handshake that has ended takes nothing");
  }
  return taken;
}

void speak_to_acceptor(Bytes bytes, std::size_t piece) {
  Handshake acceptor = Handshake::accept(a_name(2), secret);
  const std::size_t taken = feed(acceptor, bytes, piece);
  expect(taken <= 200, "an acceptor reads a bounded number of bytes");
  expect(acceptor.to_write().size() <= 100, "an acceptor says little before the proof");
  if (acceptor.state() != Handshake::State::proved) return;
  Handshake honest = make_opener();
  std::vector<std::byte> said = honest.to_write();
  Handshake again = Handshake::accept(a_name(2), secret);
  again.feed(said);
  honest.feed(again.to_write());
  const std::vector<std::byte> proof = honest.to_write();
  said.insert(said.end(), proof.begin(), proof.end());
  expect(std::ranges::equal(bytes.first(taken), said), "only the honest opener is believed");
}

void speak_to_opener(Bytes bytes, std::size_t piece) {
  Handshake opener = make_opener();
  expect(!opener.to_write().empty(), "an opener begins");
  feed(opener, bytes, piece);
  expect(opener.state() != Handshake::State::finished || bytes.size() >= 100,
         "an opener waits for the whole answer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  suiro::set_random_source([](std::span<std::uint8_t> bytes) { std::ranges::fill(bytes, 7); });
  const Bytes bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  speak_to_acceptor(bytes, std::size_t{1} + data[0]);
  speak_to_opener(bytes, std::size_t{1} + data[0]);
  return 0;
}
