// SPDX-License-Identifier: BSD-3-Clause
// Where messages and receives meet: what was posted, what came unexpected, what was claimed.
#pragma once

#include <unordered_map>
#include <vector>

#include "net/engine/core.hpp"
#include "net/operations/matching.hpp"
#include "net/operations/operations.hpp"

namespace suiro::net {

class Mailbox {
 public:
  explicit Mailbox(Core& core)
      : core_(core), spare_(std::min(core.settings.unexpected_budget / 16, spare_max)) {}

  // The user's side; see Engine.
  Status receive(const ReceiveRequest& request);
  void peek(const PeekRequest& request);
  Status receive_claimed(const ReceiveRequest& request);
  Status discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags);
  bool cancel(void* context);
  void forget(CompletionSink* sink);
  /// Nobody will ask for messages any more: who still holds one for us is told so.
  void close();
  /// A message of this process to itself.
  Status send_to_self(const SendRequest& request, Peer self);

  // The peers' side.
  /// The receive that takes this message, or the part of a multi-receive; null: there is none yet.
  Receive* match(const Envelope& message);
  /// Keeps a message, with room for what comes with its header, until somebody wants it.
  Unexpected& keep(const Envelope& message, const Header& header, Session& session);
  /// What comes with the header is there.
  void arrived(Unexpected& message);
  /// Ends a matched receive; it was filled as far as its buffers go.
  void finish(Receive& receive, Status status);
  /// Nothing more comes from this peer: what depends on it ends.
  void lose(Session& session, Peer peer);

  void count(Statistics& statistics) const;

 private:
  static constexpr std::uint64_t spare_max = 8 << 20;

  Receive& remember(const ReceiveRequest& request);
  Receive& take_part(Receive& whole, const Envelope& message);
  Unexpected& keep(const Envelope& message, Unexpected::Kind kind, std::uint64_t payload_bytes);
  void withdraw(Receive& receive);
  void deliver(Unexpected& message, Receive& receive);
  void discard(Unexpected& message);
  void drop(Unexpected& message);
  void take_out(Unexpected& message);
  Unexpected* take_claimed(void* context);
  void lose(Unexpected& message);

  Core& core_;
  PostedQueue posted_;
  UnexpectedQueue unexpected_;
  std::unordered_multimap<void*, Unexpected*> claimed_;
  std::vector<bool> lost_;  // peers
  bool closed_ = false;
  std::uint64_t bytes_to_self_ = 0;  // that are buffered
  std::uint64_t unexpected_bytes_ = 0;
  SpareMemory spare_;  // for what is kept
};

}  // namespace suiro::net
