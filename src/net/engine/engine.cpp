// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/engine.hpp"

#include <unordered_map>
#include <utility>

#include "net/carrier/timers.hpp"
#include "net/engine/session.hpp"
#include "net/engine/streams.hpp"
#include "net/frames/core.hpp"
#include "net/operations/mailbox.hpp"

namespace suiro::net {

struct Engine::State : StreamOwners {
  State(const Settings& settings, const Name& own, const std::vector<host::Link>& links,
        Carrier& carrier, LinkBoards* board, PeerLost peer_lost)
      : timers(carrier),
        core{.settings = settings,
             .own = own,
             .links = links,
             .carrier = carrier,
             .timers = timers,
             .peer_lost = std::move(peer_lost),
             .loads = LinkLoads(board == nullptr ? nullptr : &board->coming, own.nonce),
             .departing = LinkLoads(board == nullptr ? nullptr : &board->leaving, own.nonce)},
        mailbox(core.settings, core.statistics, core.sends),
        streams(core, *this) {}

  Peer peer(const Name& name);
  StreamOwner* owner_of(const Name& name) override;

  Timers timers;
  Core core;
  Mailbox mailbox;
  Streams streams;
  std::vector<Name> names;
  std::vector<std::unique_ptr<Session>> sessions;  // by peer; null: this process itself
  std::unordered_map<Nonce, Peer, NonceHash> by_nonce;
  std::int64_t deadline_ns = never_ns;
};

Peer Engine::State::peer(const Name& name) {
  const auto [found, added] = by_nonce.try_emplace(name.nonce, static_cast<Peer>(names.size()));
  if (!added) return found->second;
  const Peer peer = found->second;
  names.push_back(name);
  sessions.push_back(name.nonce == core.own.nonce
                         ? nullptr
                         : std::make_unique<Session>(core, mailbox, streams, peer, name));
  return peer;
}

/// A process has one name all its life.
StreamOwner* Engine::State::owner_of(const Name& name) {
  const Peer known = peer(name);
  Session* session = sessions[known].get();
  return names[known] == name && session != nullptr && !session->gone() ? session : nullptr;
}

Engine::Engine(const Settings& settings, const Name& own, const std::vector<host::Link>& links,
               Carrier& carrier, LinkBoards* board, PeerLost peer_lost)
    : state_(std::make_unique<State>(settings, own, links, carrier, board, std::move(peer_lost))) {}

Engine::~Engine() = default;

Peer Engine::peer(const Name& name) { return state_->peer(name); }

const Name& Engine::name(Peer peer) const { return state_->names.at(peer); }

std::string_view Engine::failure(Peer peer) const {
  const Session* session = state_->sessions.at(peer).get();
  return session == nullptr ? std::string_view() : session->failure();
}

Status Engine::send(const SendRequest& request) {
  if (request.peer >= state_->sessions.size() || !fits_message(request.buffers))
    return Status::invalid;
  Session* session = state_->sessions[request.peer].get();
  return session == nullptr ? state_->mailbox.send_to_self(request, request.peer)
                            : session->send(request);
}

Status Engine::receive(const ReceiveRequest& request) { return state_->mailbox.receive(request); }

void Engine::peek(const PeekRequest& request) { state_->mailbox.peek(request); }

Status Engine::receive_claimed(const ReceiveRequest& request) {
  return state_->mailbox.receive_claimed(request);
}

Status Engine::discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags) {
  return state_->mailbox.discard_claimed(context, sink, flags);
}

bool Engine::cancel(void* context) { return state_->mailbox.cancel(context); }

void Engine::forget(CompletionSink* sink) { state_->mailbox.forget(sink); }

bool Engine::idle() const {
  const Core& core = state_->core;
  const bool settled = core.sends.live() == 0 && core.frames.live() == 0;
  return settled ||
         (state_->deadline_ns != never_ns && core.carrier.now_ns() >= state_->deadline_ns);
}

void Engine::finish(std::int64_t deadline_ns) {
  state_->deadline_ns = deadline_ns;
  state_->mailbox.close();
  for (const auto& session : state_->sessions)
    if (session != nullptr) session->finish();
}

const Statistics& Engine::statistics() const {
  state_->mailbox.count(state_->core.statistics);
  return state_->core.statistics;
}

void Engine::accepted(StreamId stream, const Route& route) {
  state_->streams.accepted(stream, route);
}

void Engine::opened(StreamId stream) { state_->streams.opened(stream); }

void Engine::closed(StreamId stream, std::string_view reason) {
  state_->streams.closed(stream, reason);
}

void Engine::writable(StreamId stream) { state_->streams.writable(stream); }

std::span<std::byte> Engine::wanted(StreamId id) {
  Stream* stream = state_->streams.find(id);
  if (stream == nullptr || !stream->established) return {};
  return stream->owner->wanted(*stream);
}

void Engine::placed(StreamId id, std::size_t bytes) {
  Stream* stream = state_->streams.find(id);
  if (stream != nullptr && stream->established) stream->owner->placed(*stream, bytes);
}

void Engine::received(StreamId stream, std::span<const std::byte> bytes) {
  state_->streams.received(stream, bytes);
}

void Engine::drained(StreamId id) {
  Stream* stream = state_->streams.find(id);
  if (stream != nullptr && stream->established) stream->owner->drained(*stream);
}

void Engine::alarm() { state_->timers.run(); }

}  // namespace suiro::net
