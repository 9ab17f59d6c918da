// SPDX-License-Identifier: BSD-3-Clause
// The protocol of the transport: sessions, matching, transfers over rails. Pure: it makes no system
// call and knows no clock but its carrier's, so that it runs unchanged on the simulated network.
// One thread at a time.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/frames/core.hpp"
#include "net/links/link_board.hpp"
#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class Engine : public Events {
 public:
  /// `own` names this process, as its carrier listens on `links`, its rails. `board` tells what
  /// other processes have under way on them, and outlives the engine; null: nothing is known.
  /// `peer_lost` hears of each peer that is lost once, inside of any call.
  Engine(const Settings& settings, const Name& own, const std::vector<host::Link>& links,
         Carrier& carrier, LinkBoards* board = nullptr, PeerLost peer_lost = nullptr);
  ~Engine() override;

  /// The peer of this name, known or new. Nothing is sent.
  Peer peer(const Name& name);
  const Name& name(Peer peer) const;

  /// Why the peer is unreachable, for people; empty if it is not.
  std::string_view failure(Peer peer) const;

  /// ok, try_again (inject budget), invalid, unreachable. Completions may be told from inside the
  /// call.
  Status send(const SendRequest& request);
  /// ok, invalid.
  Status receive(const ReceiveRequest& request);
  /// Tells a completion of kind peek: ok with the envelope, or no_message.
  void peek(const PeekRequest& request);
  /// Receives the message that a peek with claim and this context took out; invalid if there is
  /// none.
  Status receive_claimed(const ReceiveRequest& request);
  Status discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags);
  /// Ends a receive of this context that has not matched, with status cancelled. False: there is
  /// none.
  bool cancel(void* context);
  /// Ends every receive whose completions would go to `sink`, without telling it, and forgets the
  /// sink.
  void forget(CompletionSink* sink);

  /// Nothing that was accepted is left to be written or acknowledged.
  bool idle() const;
  /// Says goodbye to all, and that what nobody here has asked for is not wanted; idle() becomes
  /// true when everybody has everything, or at the deadline.
  void finish(std::int64_t deadline_ns);

  const Statistics& statistics() const;

  void accepted(StreamId stream, const Route& route) override;
  void opened(StreamId stream) override;
  void closed(StreamId stream, std::string_view reason) override;
  void writable(StreamId stream) override;
  std::span<std::byte> wanted(StreamId stream) override;
  void placed(StreamId stream, std::size_t bytes) override;
  void received(StreamId stream, std::span<const std::byte> bytes) override;
  void drained(StreamId stream) override;
  void alarm() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suiro::net
