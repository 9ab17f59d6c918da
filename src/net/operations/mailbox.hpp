// SPDX-License-Identifier: BSD-3-Clause
// Where messages and receives meet.
#pragma once

#include <vector>

#include "net/operations/kept_messages.hpp"
#include "net/operations/operations.hpp"
#include "net/operations/origin.hpp"
#include "net/operations/receives.hpp"
#include "net/operations/sends.hpp"
#include "net/protocol/frames.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class Mailbox {
 public:
  Mailbox(const Settings& settings, Statistics& statistics, Sends& sends)
      : eager_bytes_(settings.eager_bytes),
        statistics_(statistics),
        sends_(sends),
        receives_(statistics),
        kept_(settings, statistics, sends) {}

  // The user's side; see Engine.
  Status receive(const ReceiveRequest& request);
  void peek(const PeekRequest& request);
  Status receive_claimed(const ReceiveRequest& request);
  Status discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags);
  bool cancel(void* context) { return receives_.cancel(context); }
  void forget(CompletionSink* sink);
  /// Nobody will ask for messages any more: who still holds one for us is told so.
  void close();
  /// A message of this process to itself.
  Status send_to_self(const SendRequest& request, Peer self);

  // The peers' side.
  /// The receive that takes this message, or the part of a multi-receive; null: there is none yet.
  Receive* match(const Envelope& message) { return receives_.match(message); }
  /// Keeps a message, with room for what comes with its header, until somebody wants it.
  Unexpected& keep(const Envelope& message, const Header& header, Origin& origin);
  /// What comes with the header is there.
  void arrived(Unexpected& message);
  /// Ends a matched receive; it was filled as far as its buffers go.
  void finish(Receive& receive, Status status) { receives_.finish(receive, status); }
  /// Nothing more comes from this peer: what depends on it ends.
  void lose(const Origin& origin, Peer peer);

  /// How many receives have ended so.
  std::uint64_t unreachable() const { return receives_.unreachable(); }
  void count(Statistics& statistics) const;

 private:
  void deliver(Unexpected& message, Receive& receive);
  void lose(Unexpected& message);

  const std::uint64_t eager_bytes_;
  Statistics& statistics_;
  Sends& sends_;
  Receives receives_;
  KeptMessages kept_;
  std::vector<bool> lost_;  // peers
  bool closed_ = false;
};

}  // namespace suiro::net
