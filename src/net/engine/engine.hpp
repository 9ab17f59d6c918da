// SPDX-License-Identifier: BSD-3-Clause
// The protocol of the transport: sessions, matching, transfers over rails. Pure: it makes no system
// call and knows no clock but its carrier's, so that it runs unchanged on the simulated network.
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/carrier/timers.hpp"
#include "net/engine/session.hpp"
#include "net/engine/streams.hpp"
#include "net/frames/core.hpp"
#include "net/links/link_board.hpp"
#include "net/operations/mailbox.hpp"
#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class Engine : public Events, private StreamOwners {
 public:
  /// `own` names this process, as its carrier listens on `links`, its rails. `board` tells what
  /// other processes have under way on them, and outlives the engine; null: nothing is known.
  /// `peer_lost` hears of each peer that is lost once, inside of any call.
  Engine(const Settings& settings, const Name& own, const std::vector<host::Link>& links,
         Carrier& carrier, LinkBoards* board = nullptr, PeerLost peer_lost = nullptr);

  /// The peer of this name, known or new. Nothing is sent.
  Peer peer(const Name& name);
  const Name& name(Peer peer) const { return names_.at(peer); }

  /// Why the peer is unreachable, for people; empty if it is not.
  std::string_view failure(Peer peer) const;

  /// ok, try_again (inject budget), invalid, unreachable. Completions may be told from inside the
  /// call.
  Status send(const SendRequest& request);
  /// ok, invalid.
  Status receive(const ReceiveRequest& request) { return mailbox_.receive(request); }
  /// Tells a completion of kind peek: ok with the envelope, or no_message.
  void peek(const PeekRequest& request) { mailbox_.peek(request); }
  /// Receives the message that a peek with claim and this context took out; invalid if there is
  /// none.
  Status receive_claimed(const ReceiveRequest& request) {
    return mailbox_.receive_claimed(request);
  }
  Status discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags) {
    return mailbox_.discard_claimed(context, sink, flags);
  }
  /// Ends a receive of this context that has not matched, with status cancelled. False: there is
  /// none.
  bool cancel(void* context) { return mailbox_.cancel(context); }
  /// Ends every receive whose completions would go to `sink`, without telling it, and forgets the
  /// sink.
  void forget(CompletionSink* sink) { mailbox_.forget(sink); }

  /// Nothing that was accepted is left to be written or acknowledged.
  bool idle() const;
  /// Says goodbye to all, and that what nobody here has asked for is not wanted; idle() becomes
  /// true when everybody has everything, or at the deadline.
  void finish(std::int64_t deadline_ns);

  const Statistics& statistics();

  void accepted(StreamId stream, const Route& route) override { streams_.accepted(stream, route); }
  void opened(StreamId stream) override { streams_.opened(stream); }
  void closed(StreamId stream, std::string_view reason) override {
    streams_.closed(stream, reason);
  }
  void writable(StreamId stream) override { streams_.writable(stream); }
  std::span<std::byte> wanted(StreamId stream) override;
  void placed(StreamId stream, std::size_t bytes) override;
  void received(StreamId stream, std::span<const std::byte> bytes) override {
    streams_.received(stream, bytes);
  }
  void drained(StreamId stream) override;
  void alarm() override { timers_.run(); }

 private:
  StreamOwner* owner_of(const Name& name) override;
  bool is_self(Peer peer) const { return names_[peer].nonce == core_.own.nonce; }
  Session& session_with(Peer peer);

  Timers timers_;
  Core core_;
  Mailbox mailbox_;
  Streams streams_;
  std::vector<Name> names_;
  std::vector<std::unique_ptr<Session>> sessions_;  // by peer; null: nothing was sent or came
  std::unordered_map<Nonce, Peer, NonceHash> by_nonce_;
  std::int64_t deadline_ns_ = never_ns;
};

}  // namespace suiro::net
