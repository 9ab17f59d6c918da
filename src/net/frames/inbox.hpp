// SPDX-License-Identifier: BSD-3-Clause
// Reads the frames of one peer from whatever pieces its control stream comes in. A message's
// payload goes straight to its receive if there is one. If the stream breaks within a message, the
// message keeps its receive, and begins anew when it comes again.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "net/frames/core.hpp"
#include "net/frames/outbox.hpp"
#include "net/operations/mailbox.hpp"
#include "net/operations/origin.hpp"
#include "net/protocol/frames.hpp"

namespace suiro::net {

/// Hears frames that are no eager messages.
class FrameSink : public Origin {
 public:
  /// What every header says.
  virtual bool heard(const Header& header) = 0;
  /// False: it cannot be. A request is told of when it begins.
  virtual bool frame(const Header& header) = 0;
};

class Inbox {
 public:
  Inbox(Mailbox& mailbox, Outbox& outbox, FrameSink& sink, Peer peer)
      : mailbox_(mailbox), outbox_(outbox), sink_(sink), peer_(peer) {}

  /// Takes all; false, with a reason, if no honest peer would have sent this.
  bool receive(std::span<const std::byte> bytes);
  std::span<std::byte> wanted() const;
  bool placed(std::size_t bytes);
  bool amid_payload() const { return in_payload_; }
  const char* objection() const { return objection_; }

  /// A new stream: what came in part comes again.
  void reset();
  /// Nothing comes any more.
  void fail();

 private:
  bool refuse(const char* objection);
  bool take_header();
  void next_header();
  bool begin_message();
  bool meet();
  bool is_request() const { return header_.kind == FrameKind::request; }
  bool advance(std::uint64_t bytes);
  void end_message();
  const Segments* target() const;

  Mailbox& mailbox_;
  Outbox& outbox_;
  FrameSink& sink_;
  const Peer peer_;

  std::array<std::byte, header_bytes_max> bytes_;  // of a header that is coming
  std::size_t header_have_ = 0;
  std::size_t header_wanted_ = header_bytes_min;  // more, once these tell its length
  Header header_;
  bool in_payload_ = false;
  bool duplicate_ = false;  // its payload is thrown away
  std::uint64_t done_ = 0;  // of the payload

  // The message that is coming; kept when the stream breaks.
  bool begun_ = false;
  Receive* receive_ = nullptr;
  Unexpected* unexpected_ = nullptr;
  Segments kept_;                              // the memory of `unexpected_`
  Header message_;                             // as it came first
  std::uint64_t spent_credit_ = first_credit;  // by the peer
  const char* objection_ = "";
};

}  // namespace suiro::net
