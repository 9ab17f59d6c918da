// SPDX-License-Identifier: BSD-3-Clause
// The opening exchange of a stream: who is there, and does it belong to the job? A state machine
// over bytes, for both sides. Three messages of fixed size: hello (opener), answer (acceptor),
// proof (opener); a fourth, welcome (acceptor), says where the session stands. Key: BLAKE2b(job
// secret, acceptor's nonce); see docs/decisions/0014.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/carrier.hpp"
#include "net/name.hpp"

namespace suiro::net {

/// What an opener says of the stream.
struct Introduction {
  StreamKind kind = StreamKind::control;
  std::uint8_t stream = 0;     // bulk: rail * streams_per_rail + index
  Name name;                   // the opener's
  std::uint32_t received = 0;  // control: frames received in order before, by the opener
};

/// What the acceptor says of the session, authenticated too.
struct Welcome {
  bool accepted = false;       // false: a crossing stream is kept instead of this one; no error
  std::uint32_t received = 0;  // control: frames received in order before, by the acceptor
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
  const std::string& failure() const { return failure_; }  // for people; in state failed
  const Introduction& introduction() const {
    return introduction_;
  }                                                    // acceptor, from state proved on
  const Welcome& welcome() const { return welcome_; }  // opener, in state finished
  void welcome(const Welcome& welcome);                // acceptor, in state proved

 private:
  // to be filled in by the implementation; at most a few hundred bytes per handshake
  State state_ = State::under_way;
  std::string failure_;
  Introduction introduction_;
  Welcome welcome_;
};

}  // namespace suiro::net
