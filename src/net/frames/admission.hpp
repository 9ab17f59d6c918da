// SPDX-License-Identifier: BSD-3-Clause
// Which messages to a peer go at once, which are asked for, and how much of these goes ahead
// (docs/decisions/0014-the-transport-engine.md): by the credit that the peer gives, by how fast the
// link has answered, and by whose turn it is.
#pragma once

#include <cstdint>
#include <utility>

#include "net/links/pace.hpp"
#include "net/protocol/frames.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net {

class Admission {
 public:
  explicit Admission(const Settings& settings) : settings_(settings) {}

  // What the peer says.
  /// How much may have been sent by now, as a header says it. Whether that is more than before.
  bool hear_credit(std::uint32_t consumed_bytes);
  /// What may go ahead from now on.
  void set_ahead(const Ahead& ahead) { ahead_ = ahead; }
  /// It has sent a message.
  void hear_answer() { answered_ = true; }
  /// It has all of a message that was asked for, so it keeps up.
  void hear_end() { credit_when_taken_ = peer_credit_; }

  // What goes to it.
  std::uint64_t credit_left() const { return peer_credit_ - spent_credit_; }
  /// Goes at once, whole.
  bool may_be_eager(std::uint64_t length) const;
  void send_eager(std::uint64_t length);
  /// Is better asked for later, since there is no credit, and more is likely to come soon.
  bool should_wait(std::uint64_t length) const;
  bool may_hope(std::uint64_t length) const;
  /// It did not come.
  void give_up_hope();
  /// Nothing that waits for credit holds up what follows.
  void leave() { leaving_ = true; }

  struct Request {
    std::uint32_t ahead_bytes = 0;   // go with it
    std::uint32_t wished_bytes = 0;  // would have, had there been credit
  };
  /// The receiver is asked to fetch this message.
  Request request(std::uint64_t length);

 private:
  bool is_short(std::uint64_t length) const { return length <= settings_.eager_bytes; }
  bool may_go_whole(std::uint64_t length) const;
  bool may_go_ahead(std::uint64_t length) const;
  void take_turn() { turned_ = std::exchange(answered_, false); }

  const Settings& settings_;
  std::uint64_t peer_credit_ = first_credit, spent_credit_ = first_credit;
  std::uint64_t hoped_credit_ = 0;  // the most there was at a time, since hope was in vain
  int requests_allowed_ = 0;        // for messages that would wait for credit otherwise
  bool leaving_ = false;
  Ahead ahead_;
  int ahead_in_row_ = 0;                 // whole messages that went so, since one was asked for
  std::uint64_t credit_when_taken_ = 0;  // when the last of them is
  bool answered_ = false;                // the peer has sent a message since our last long one
  bool turned_ = false;                  // that one, too, was sent after such an answer
};

}  // namespace suiro::net
