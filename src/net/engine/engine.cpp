// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/engine.hpp"

#include <utility>

namespace suiro::net {

Engine::Engine(const Settings& settings, const Name& own, const std::vector<host::Link>& links,
               Carrier& carrier, LinkBoards* board, PeerLost peer_lost)
    : timers_(carrier),
      core_{.settings = settings,
            .own = own,
            .links = links,
            .carrier = carrier,
            .timers = timers_,
            .peer_lost = std::move(peer_lost),
            .loads = LinkLoads(board == nullptr ? nullptr : &board->coming, own.nonce),
            .departing = LinkLoads(board == nullptr ? nullptr : &board->leaving, own.nonce)},
      mailbox_(core_.settings, core_.statistics, core_.sends),
      streams_(core_, *this) {}

Peer Engine::peer(const Name& name) {
  const auto [found, added] = by_nonce_.try_emplace(name.nonce, static_cast<Peer>(names_.size()));
  if (!added) return found->second;
  names_.push_back(name);
  sessions_.push_back(nullptr);
  return found->second;
}

/// A rank knows all of its job, and talks to few of them.
Session& Engine::session_with(Peer peer) {
  std::unique_ptr<Session>& session = sessions_[peer];
  if (session == nullptr) {
    session = std::make_unique<Session>(core_, mailbox_, streams_, peer, names_[peer]);
  }
  return *session;
}

/// A process has one name all its life.
StreamOwner* Engine::owner_of(const Name& name) {
  const Peer known = peer(name);
  if (is_self(known) || names_[known] != name) return nullptr;
  Session& session = session_with(known);
  return session.gone() ? nullptr : &session;
}

std::string_view Engine::failure(Peer peer) const {
  const Session* session = sessions_.at(peer).get();
  return session == nullptr ? std::string_view() : session->failure();
}

Status Engine::send(const SendRequest& request) {
  if (request.peer >= sessions_.size() || !fits_message(request.buffers)) return Status::invalid;
  if (is_self(request.peer)) return mailbox_.send_to_self(request, request.peer);
  return session_with(request.peer).send(request);
}

bool Engine::idle() const {
  const bool settled = core_.sends.live() == 0 && core_.frames.live() == 0;
  return settled || (deadline_ns_ != never_ns && core_.carrier.now_ns() >= deadline_ns_);
}

void Engine::finish(std::int64_t deadline_ns) {
  deadline_ns_ = deadline_ns;
  mailbox_.close();
  for (const auto& session : sessions_)
    if (session != nullptr) session->finish();
}

const Statistics& Engine::statistics() {
  mailbox_.count(core_.statistics);
  return core_.statistics;
}

std::span<std::byte> Engine::wanted(StreamId id) {
  Stream* stream = streams_.find(id);
  if (stream == nullptr || !stream->established) return {};
  return stream->owner->wanted(*stream);
}

void Engine::placed(StreamId id, std::size_t bytes) {
  Stream* stream = streams_.find(id);
  if (stream != nullptr && stream->established) stream->owner->placed(*stream, bytes);
}

void Engine::drained(StreamId id) {
  Stream* stream = streams_.find(id);
  if (stream != nullptr && stream->established) stream->owner->drained(*stream);
}

}  // namespace suiro::net
