// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/carrier.hpp"

#include <algorithm>

namespace suiro::net {
namespace {

using Phase = SharedStream::Phase;

constexpr std::size_t bytes_per_visit = 1 << 20;        // then other streams have their turn
constexpr std::size_t bytes_per_turn = ring_bytes / 4;  // then the writer can go on
constexpr std::uint32_t polls_per_service = 64;

}  // namespace

void SharedCarrier::attach(Events& events) {
  events_ = &events;
  streams_.attach(events);
}

void SharedCarrier::establish(StreamId id, StreamKind kind) {
  SharedStream* stream = streams_.find(id);
  if (stream == nullptr) return;
  if (kind == StreamKind::bulk)
    stream->become_bulk();
  else
    stream->control = true;
}

std::size_t SharedCarrier::write(StreamId id, std::span<const iovec> bytes) {
  SharedStream* stream = streams_.find(id);
  if (stream == nullptr || stream->phase != Phase::open) return 0;
  const std::size_t written = stream->write(bytes);
  streams_.ring(*stream);
  if (stream->pull_out && stream->wants_room &&
      std::ranges::find(pulled_from_, id) == pulled_from_.end())
    pulled_from_.push_back(id);
  if (stream->has_room() || !stream->failure.empty()) {
    streams_.queue(*stream);
    streams_.ask_for_poll();
  }
  return written;
}

void SharedCarrier::arm(StreamId id) {
  if (SharedStream* stream = streams_.find(id)) streams_.queue(*stream);
}

void SharedCarrier::close(StreamId id) {
  streams_.forget_failure(id);
  if (SharedStream* stream = streams_.find(id)) streams_.close(*stream);
}

bool SharedCarrier::prepare_sleep() {
  streams_.service();
  return streams_.may_sleep();
}

bool SharedCarrier::poll() {
  streams_.bury_closed();
  if (++polls_ % polls_per_service == 0) streams_.service();
  bool raised = raise_alarm();
  raised = streams_.raise_failures() || raised;
  streams_.take_queued(visiting_);
  for (const StreamId id : visiting_)
    if (SharedStream* stream = streams_.find(id)) raised = visit(*stream) || raised;
  return raised;
}

bool SharedCarrier::raise_alarm() {
  if (alarm_ns_ == never_ns || now_ns() < alarm_ns_) return false;
  alarm_ns_ = never_ns;
  events_->alarm();
  return true;
}

/// Tells the engine of bytes that peers have taken out of our memory. It must know that before it
/// hears what a peer says of them.
bool SharedCarrier::raise_taken() {
  bool raised = false;
  for (std::size_t i = 0; i < pulled_from_.size();) {
    const StreamId id = pulled_from_[i];
    SharedStream* stream = streams_.find(id);
    if (stream != nullptr && stream->wants_room && !stream->has_room()) {
      ++i;
      continue;
    }
    pulled_from_[i] = pulled_from_.back();
    pulled_from_.pop_back();
    if (stream == nullptr || !stream->wants_room) continue;
    stream->wants_room = false;
    events_->writable(id);
    raised = true;
  }
  return raised;
}

bool SharedCarrier::visit(SharedStream& stream) {
  bool raised = false;
  if (stream.phase == Phase::new_here) {
    raised = true;
    stream.phase = Phase::open;
    if (stream.opener)
      events_->opened(stream.id);
    else
      events_->accepted(stream.id, Route{.shared_memory = true});
  }
  if (stream.phase == Phase::open && stream.has_room()) {
    raised = true;
    stream.wants_room = false;
    events_->writable(stream.id);
  }
  std::size_t given = 0;
  bool more = stream.phase == Phase::open;
  while (more && given < bytes_per_visit) {
    const std::size_t arrived = stream.arrived();
    if (arrived == 0 || !stream.failure.empty()) break;
    raised = raise_taken() || raised;
    if (stream.phase != Phase::open) return true;
    const std::size_t part =
        stream.give(*events_, std::min(arrived, stream.pulls() ? bytes_per_visit : bytes_per_turn));
    given += part;
    more = part > 0 && stream.phase == Phase::open;
    if (more && stream.should_wake_peer()) streams_.ring(stream);
  }
  if (given > 0 && stream.phase == Phase::open) events_->drained(stream.id);
  if (stream.phase == Phase::closed) return true;
  if (given >= bytes_per_visit) {
    streams_.queue(stream);
  } else if (!stream.failure.empty() || stream.ended) {
    raised = true;
    streams_.end(stream, stream.failure.empty() ? "closed by the peer" : stream.failure);
  }
  return raised || given > 0;
}

}  // namespace suiro::net
