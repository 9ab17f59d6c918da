// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/carrier.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/sockets.hpp"
#include "net/shared/streams.hpp"

namespace suiro::net {
namespace {

using Phase = SharedStream::Phase;

constexpr std::size_t bytes_per_visit = 1 << 20;        // then other streams have their turn
constexpr std::size_t bytes_per_turn = ring_bytes / 4;  // then the writer can go on
constexpr std::uint32_t polls_per_service = 64;

}  // namespace

// Events.

bool SharedCarrier::State::work() {
  bool raised = raise_alarm();
  raised = raise_failures() || raised;
  visiting.clear();
  visiting.swap(queued);
  for (const StreamId id : visiting)
    if (SharedStream* stream = find(id)) stream->queued = false;
  news.clear();
  doorbell.take(news);
  for (const Slot slot : news)
    if (slot < max_slots && streams[slot] != nullptr) visiting.push_back(streams[slot]->id);
  for (const StreamId id : visiting)
    if (SharedStream* stream = find(id)) raised = visit(*stream) || raised;
  return raised;
}

bool SharedCarrier::State::raise_alarm() {
  if (alarm_at_ns == never_ns || monotonic_ns() < alarm_at_ns) return false;
  alarm_at_ns = never_ns;
  events->alarm();
  return true;
}

bool SharedCarrier::State::raise_failures() {
  bool raised = false;
  while (!failures.empty()) {
    const Failure failure = std::move(failures.back());
    failures.pop_back();
    events->closed(failure.stream, failure.reason);
    raised = true;
  }
  return raised;
}

/// Tells the engine of bytes that peers have taken out of our memory. It must know that before it
/// hears what a peer says of them.
bool SharedCarrier::State::raise_taken() {
  bool raised = false;
  for (std::size_t i = 0; i < pulled_from.size();) {
    const StreamId id = pulled_from[i];
    SharedStream* stream = find(id);
    if (stream != nullptr && stream->wants_room && !stream->has_room()) {
      ++i;
      continue;
    }
    pulled_from[i] = pulled_from.back();
    pulled_from.pop_back();
    if (stream == nullptr || !stream->wants_room) continue;
    stream->wants_room = false;
    events->writable(id);
    raised = true;
  }
  return raised;
}

bool SharedCarrier::State::visit(SharedStream& stream) {
  bool raised = false;
  if (stream.phase == Phase::new_here) {
    raised = true;
    stream.phase = Phase::open;
    if (stream.opener)
      events->opened(stream.id);
    else
      events->accepted(stream.id, Route{.shared_memory = true});
  }
  if (stream.phase == Phase::open && stream.has_room()) {
    raised = true;
    stream.wants_room = false;
    events->writable(stream.id);
  }
  std::size_t given = 0;
  bool more = stream.phase == Phase::open;
  while (more && given < bytes_per_visit) {
    const std::size_t arrived = stream.arrived();
    if (arrived == 0 || !stream.failure.empty()) break;
    raised = raise_taken() || raised;
    if (stream.phase != Phase::open) return true;
    const std::size_t part =
        stream.give(*events, std::min(arrived, stream.pulls() ? bytes_per_visit : bytes_per_turn));
    given += part;
    more = part > 0 && stream.phase == Phase::open;
    if (more && stream.should_wake_peer()) ring(stream);
  }
  if (given > 0 && stream.phase == Phase::open) events->drained(stream.id);
  if (stream.phase == Phase::closed) return true;
  if (given >= bytes_per_visit) {
    queue(stream);
  } else if (!stream.failure.empty() || stream.ended) {
    raised = true;
    end(stream, stream.failure.empty() ? "closed by the peer" : stream.failure);
  }
  return raised || given > 0;
}

// The carrier's face.

SharedCarrier::SharedCarrier(const Nonce& own, bool may_pull)
    : state_(std::make_unique<State>(own, may_pull)) {}

SharedCarrier::~SharedCarrier() {
  for (const auto& stream : state_->streams)
    if (stream != nullptr) close_stream(stream->socket);
}

std::int64_t SharedCarrier::now_ns() const { return monotonic_ns(); }
void SharedCarrier::attach(Events& events) { state_->events = &events; }
int SharedCarrier::wait_descriptor() const { return state_->watched.number(); }
std::int64_t SharedCarrier::alarm_ns() const { return state_->alarm_at_ns; }
void SharedCarrier::set_alarm(std::int64_t at_ns) { state_->alarm_at_ns = at_ns; }
std::uint64_t SharedCarrier::system_calls() const { return state_->system_calls; }

StreamId SharedCarrier::open(const Name& peer, const Route&) { return state_->open(peer.nonce); }

void SharedCarrier::establish(StreamId id, StreamKind kind) {
  SharedStream* stream = state_->find(id);
  if (stream == nullptr) return;
  if (kind == StreamKind::bulk)
    stream->become_bulk();
  else
    stream->control = true;
}

std::size_t SharedCarrier::write(StreamId id, std::span<const iovec> bytes) {
  SharedStream* stream = state_->find(id);
  if (stream == nullptr || stream->phase != Phase::open) return 0;
  const std::size_t written = stream->write(bytes);
  state_->ring(*stream);
  auto& waiting = state_->pulled_from;
  if (stream->pull_out && stream->wants_room && std::ranges::find(waiting, id) == waiting.end())
    waiting.push_back(id);
  if (stream->has_room() || !stream->failure.empty()) {
    state_->queue(*stream);
    state_->ask_for_poll();
  }
  return written;
}

void SharedCarrier::arm(StreamId id) {
  if (SharedStream* stream = state_->find(id)) state_->queue(*stream);
}

void SharedCarrier::close(StreamId id) {
  std::erase_if(state_->failures, [id](const State::Failure& one) { return one.stream == id; });
  if (SharedStream* stream = state_->find(id)) state_->release(*stream);
}

bool SharedCarrier::poll() {
  state_->graveyard.clear();
  if (++state_->polls % polls_per_service == 0) state_->service();
  return state_->work();
}

bool SharedCarrier::prepare_sleep() {
  state_->service();
  ++state_->system_calls;
  return state_->doorbell.may_sleep() && state_->queued.empty() && state_->failures.empty();
}

void SharedCarrier::abandon() noexcept {
  for (const auto& stream : state_->streams) {
    if (stream == nullptr) continue;
    stream->socket.close();
    if (stream->bell) stream->bell->close_descriptors();
    if (stream->memory) stream->memory->close_descriptor();
  }
  state_->doorbell.close_descriptors();
  state_->listener.close();
  state_->reserve.close();
  state_->watched.close();
}

}  // namespace suiro::net
