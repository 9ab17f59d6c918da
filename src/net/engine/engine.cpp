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
  const Peer peer = found->second;
  names_.push_back(name);
  sessions_.push_back(name.nonce == core_.own.nonce
                          ? nullptr
                          : std::make_unique<Session>(core_, mailbox_, streams_, peer, name));
  return peer;
}

/// A process has one name all its life.
StreamOwner* Engine::owner_of(const Name& name) {
  const Peer known = peer(name);
  Session* session = sessions_[known].get();
  return names_[known] == name && session != nullptr && !session->gone() ? session : nullptr;
}

std::string_view Engine::failure(Peer peer) const {
  const Session* session = sessions_.at(peer).get();
  return session == nullptr ? std::string_view() : session->failure();
}

Status Engine::send(const SendRequest& request) {
  if (request.peer >= sessions_.size() || !fits_message(request.buffers)) return Status::invalid;
  Session* session = sessions_[request.peer].get();
  return session == nullptr ? mailbox_.send_to_self(request, request.peer) : session->send(request);
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
