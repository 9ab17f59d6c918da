// SPDX-License-Identifier: BSD-3-Clause
// The opening exchange of a stream: who is there, and does it belong to the job? A state machine
// over bytes, for both sides. Three messages of fixed size: hello (opener), answer (acceptor),
// proof (opener); a fourth, welcome (acceptor), says where the session stands. Key: BLAKE2b(job
// secret, acceptor's nonce); see docs/decisions/0014.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/protocol/name.hpp"
#include "net/protocol/stream_kind.hpp"

namespace suiro::net {

/// What an opener says of the stream.
struct Introduction {
  StreamKind kind = StreamKind::control;
  std::uint8_t stream = 0;     // bulk: rail * streams_per_rail + index
  Name name;                   // the opener's
  std::uint32_t received = 0;  // control: frames received in order before, by the opener
  std::uint32_t number = 0;  // control: streams of the session before; bulk: of this stream's lives
};

/// What the acceptor says of the session, authenticated too.
struct Welcome {
  bool accepted = false;       // false: a crossing stream is kept instead of this one; no error
  std::uint32_t received = 0;  // control: frames received in order before, by the acceptor
  std::uint32_t number = 0;    // control: streams of the session, with this one; below 2^31
};

class Handshake {
 public:
  /// The opener's side; to_write() has the hello at once.
  static Handshake open(const Introduction& own, const Name& acceptor,
                        std::span<const std::uint8_t> job_secret);
  /// The acceptor's side.
  static Handshake accept(const Name& own, std::span<const std::uint8_t> job_secret);

  enum class State : std::uint8_t { under_way, proved, finished, failed };
  // opener:   under_way -> finished (has welcome()) | failed
  // acceptor: under_way -> proved (has introduction(); call welcome(...)) -> finished | failed

  /// Takes bytes from the front of `bytes` and says how many; never more than the handshake needs.
  std::size_t feed(std::span<const std::byte> bytes);
  /// Bytes to be written now, given once.
  std::vector<std::byte> to_write();

  State state() const { return state_; }
  /// Opener: the proof is given, so the acceptor may count on the stream.
  bool has_proved() const { return expected_ == Step::welcome; }
  /// Acceptor: the opener has said who it is.
  bool has_hello() const { return expected_ == Step::proof; }
  const std::string& failure() const { return failure_; }  // for people; in state failed
  /// Acceptor, from state proved on.
  const Introduction& introduction() const { return introduction_; }
  /// Opener, in state finished.
  const Welcome& welcome() const { return welcome_; }
  /// Opener: what to write last where it gives up before it has proved anything, so that it is not
  /// taken for a stranger.
  std::vector<std::byte> farewell();
  /// Acceptor, in state failed: that was said. It is not proved, and only counted less.
  bool has_left() const { return has_left_; }
  /// Acceptor, in state proved.
  void welcome(const Welcome& welcome);

 private:
  static constexpr std::size_t key_bytes = 32;
  static constexpr std::size_t challenge_bytes = 32;
  static constexpr std::size_t proof_bytes = 32;
  static constexpr std::size_t hello_bytes = 8 + sizeof(Name) + challenge_bytes;
  static constexpr std::size_t answer_bytes = challenge_bytes + proof_bytes;
  static constexpr std::size_t standing_bytes = 8 + proof_bytes;  // proof and welcome

  enum class Step : std::uint8_t { hello, answer, proof, welcome, none };
  using Proof = std::array<std::byte, proof_bytes>;

  Handshake(const Name& acceptor, std::span<const std::uint8_t> job_secret, Step expected);
  std::size_t expected_bytes() const;
  void take_message();
  void take_hello();
  void take_answer();
  void take_proof();
  void take_welcome();
  void write_hello();
  void write_standing(Step step, std::uint32_t first, std::uint32_t received);
  Proof prove(Step step, std::span<const std::byte> standing) const;
  bool proves(Step step, std::span<const std::byte> standing,
              std::span<const std::byte> proof) const;
  void fail(std::string reason);
  void fail_as_left();

  State state_ = State::under_way;
  bool has_left_ = false;
  Step expected_;  // the message that the other side sends next
  std::string failure_;
  Introduction introduction_;
  Welcome welcome_;
  std::array<std::uint8_t, key_bytes> key_;
  // Both sides' fresh bytes and all that the opener says: every proof covers them.
  std::array<std::byte, hello_bytes + challenge_bytes> transcript_{};
  std::array<std::byte, hello_bytes> incoming_{};  // the longest message
  std::size_t incoming_bytes_ = 0;
  std::vector<std::byte> to_write_;
};

}  // namespace suiro::net
