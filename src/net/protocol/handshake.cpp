// SPDX-License-Identifier: BSD-3-Clause
#include "net/protocol/handshake.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/random.hpp"
#include "net/protocol/frames.hpp"

namespace suiro::net {
namespace {

constexpr std::uint32_t magic = 0x6f697573;  // "suio", as bytes
constexpr std::uint8_t handshake_version = 4;

/// Where the fields of a hello are; byte 7 is reserved, and zero.
enum HelloOffset : std::size_t {
  hello_magic = 0,
  hello_version = 4,
  hello_kind = 5,
  hello_stream = 6,
  hello_name = 8
};

/// In place of the kind of stream.
constexpr std::uint8_t leaves = 0xff;

/// Names are the same bytes in memory and on the wire (bytes.hpp checks the machine's order).
bool sensible(const Name& name) {
  if (name.version != name_version || name.rails > max_rails) return false;
  return std::all_of(name.addresses.begin() + name.rails, name.addresses.end(),
                     [](std::uint32_t address) { return address == 0; });
}

const std::uint8_t* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

}  // namespace

Handshake::Handshake(const Name& acceptor, std::span<const std::uint8_t> job_secret, Step expected)
    : expected_(expected) {
  // The nonce has a fixed length, so what follows it cannot be mistaken for a part of it.
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, key_.size());
  crypto_generichash_update(&state, acceptor.nonce.data(), acceptor.nonce.size());
  crypto_generichash_update(&state, job_secret.data(), job_secret.size());
  crypto_generichash_final(&state, key_.data(), key_.size());
}

Handshake Handshake::open(const Introduction& own, const Name& acceptor,
                          std::span<const std::uint8_t> job_secret) {
  Handshake handshake(acceptor, job_secret, Step::answer);
  handshake.introduction_ = own;
  handshake.write_hello();
  return handshake;
}

Handshake Handshake::accept(const Name& own, std::span<const std::uint8_t> job_secret) {
  return {own, job_secret, Step::hello};
}

std::size_t Handshake::expected_bytes() const {
  switch (expected_) {
    case Step::hello:
      return hello_bytes;
    case Step::answer:
      return answer_bytes;
    case Step::proof:
    case Step::welcome:
      return standing_bytes;
    case Step::none:
      break;
  }
  return 0;
}

std::size_t Handshake::feed(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (expected_ != Step::none && taken < bytes.size()) {
    const std::size_t missing = expected_bytes() - incoming_bytes_;
    const auto part = bytes.subspan(taken, std::min(missing, bytes.size() - taken));
    std::ranges::copy(part, incoming_.begin() + static_cast<std::ptrdiff_t>(incoming_bytes_));
    incoming_bytes_ += part.size();
    taken += part.size();
    if (part.size() == missing) take_message();
  }
  return taken;
}

std::vector<std::byte> Handshake::to_write() { return std::exchange(to_write_, {}); }

void Handshake::take_message() {
  incoming_bytes_ = 0;
  switch (std::exchange(expected_, Step::none)) {
    case Step::hello:
      return take_hello();
    case Step::answer:
      return take_answer();
    case Step::proof:
      return take_proof();
    case Step::welcome:
      return take_welcome();
    case Step::none:
      break;
  }
}

void Handshake::write_hello() {
  const std::span<std::byte> hello = std::span(transcript_).first<hello_bytes>();
  store(hello, hello_magic, magic);
  store(hello, hello_version, handshake_version);
  store(hello, hello_kind, static_cast<std::uint8_t>(introduction_.kind));
  store(hello, hello_stream, introduction_.stream);
  std::memcpy(&hello[hello_name], &introduction_.name, sizeof(Name));
  const auto challenge = hello.last<challenge_bytes>();
  random_bytes({reinterpret_cast<std::uint8_t*>(challenge.data()), challenge.size()});
  to_write_.assign(hello.begin(), hello.end());
}

/// Nothing in the hello is believed before the proof; here it only has to make sense.
void Handshake::take_hello() {
  const auto kind = load<std::uint8_t>(incoming_, hello_kind);
  if (load<std::uint32_t>(incoming_, hello_magic) != magic) return fail("no suiro process speaks");
  if (load<std::uint8_t>(incoming_, hello_version) != handshake_version)
    return fail("another version of suiro speaks");
  if (kind == leaves) return fail_as_left();
  introduction_.kind = static_cast<StreamKind>(kind);
  introduction_.stream = load<std::uint8_t>(incoming_, hello_stream);
  std::memcpy(&introduction_.name, &incoming_[hello_name], sizeof(Name));
  const bool bulk = introduction_.kind == StreamKind::bulk;
  if (kind > 1 || introduction_.stream >= (bulk ? max_streams : 1) || incoming_[7] != std::byte{} ||
      !sensible(introduction_.name))
    return fail("the hello makes no sense");
  std::ranges::copy(incoming_, transcript_.begin());
  const auto challenge = std::span(transcript_).last<challenge_bytes>();
  random_bytes({reinterpret_cast<std::uint8_t*>(challenge.data()), challenge.size()});
  const Proof proof = prove(Step::answer, {});
  to_write_.assign(challenge.begin(), challenge.end());
  to_write_.insert(to_write_.end(), proof.begin(), proof.end());
  expected_ = Step::proof;
}

void Handshake::take_answer() {
  const auto answer = std::span(incoming_).first<answer_bytes>();
  std::ranges::copy(answer.first<challenge_bytes>(), transcript_.begin() + hello_bytes);
  if (!proves(Step::answer, {}, answer.last<proof_bytes>()))
    return fail("the process at this address does not belong to the job, or has another secret");
  write_standing(Step::proof, introduction_.number, introduction_.received);
  expected_ = Step::welcome;
}

void Handshake::take_proof() {
  const auto message = std::span(incoming_).first<standing_bytes>();
  const auto standing = message.first<8>();
  const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
  if (std::ranges::all_of(message, is_zero)) return fail_as_left();
  if (!proves(Step::proof, standing, message.last<proof_bytes>()))
    return fail("whoever opened this does not belong to the job, or has another secret");
  introduction_.number = load<std::uint32_t>(standing, 0);
  introduction_.received = load<std::uint32_t>(standing, 4);
  state_ = State::proved;
}

void Handshake::take_welcome() {
  const auto message = std::span(incoming_).first<standing_bytes>();
  const auto standing = message.first<8>();
  if (!proves(Step::welcome, standing, message.last<proof_bytes>()))
    return fail("the welcome is forged");
  welcome_.accepted = (load<std::uint32_t>(standing, 0) & 1) != 0;
  welcome_.number = load<std::uint32_t>(standing, 0) >> 1;
  welcome_.received = load<std::uint32_t>(standing, 4);
  state_ = State::finished;
}

void Handshake::welcome(const Welcome& welcome) {
  welcome_ = welcome;
  write_standing(Step::welcome, welcome.number << 1 | (welcome.accepted ? 1U : 0U),
                 welcome.received);
  state_ = State::finished;
}

void Handshake::write_standing(Step step, std::uint32_t first, std::uint32_t received) {
  std::array<std::byte, 8> standing{};
  store(standing, 0, first);
  store(standing, 4, received);
  const Proof proof = prove(step, standing);
  to_write_.insert(to_write_.end(), standing.begin(), standing.end());
  to_write_.insert(to_write_.end(), proof.begin(), proof.end());
}

/// The step is a part of what is hashed: no message can be sent back as another one.
Handshake::Proof Handshake::prove(Step step, std::span<const std::byte> standing) const {
  const auto label = static_cast<std::uint8_t>(step);
  Proof proof;
  crypto_generichash_state state;
  crypto_generichash_init(&state, key_.data(), key_.size(), proof.size());
  crypto_generichash_update(&state, &label, sizeof label);
  crypto_generichash_update(&state, raw(transcript_), transcript_.size());
  crypto_generichash_update(&state, raw(standing), standing.size());
  crypto_generichash_final(&state, reinterpret_cast<std::uint8_t*>(proof.data()), proof.size());
  return proof;
}

bool Handshake::proves(Step step, std::span<const std::byte> standing,
                       std::span<const std::byte> proof) const {
  const Proof expected = prove(step, standing);
  return sodium_memcmp(expected.data(), proof.data(), expected.size()) == 0;
}

std::vector<std::byte> Handshake::farewell() {
  std::vector<std::byte> last = to_write();
  if (expected_ != Step::answer) return last;
  if (last.empty()) {
    last.resize(standing_bytes);  // in place of the proof
  } else {
    store(last, hello_kind, leaves);
  }
  return last;
}

void Handshake::fail_as_left() {
  has_left_ = true;
  fail("the opener has left");
}

void Handshake::fail(std::string reason) {
  state_ = State::failed;
  failure_ = std::move(reason);
}

}  // namespace suiro::net
