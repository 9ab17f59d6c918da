// SPDX-License-Identifier: BSD-3-Clause
#include "net/operations/mailbox.hpp"

#include <algorithm>

namespace suiro::net {
namespace {

constexpr std::uint64_t self_budget = 1 << 20;

}  // namespace

Status Mailbox::receive(const ReceiveRequest& request) {
  if (!fits_message(request.buffers)) return Status::invalid;
  Receive& receive = receives_.remember(request);
  Unexpected* waiting = kept_.find(request.pattern);
  if (waiting != nullptr && !request.multi) {
    kept_.take_out(*waiting);
    deliver(*waiting, receive);
    return Status::ok;
  }
  const Peer source = request.pattern.source;
  if (waiting == nullptr && source < lost_.size() && lost_[source]) {
    finish(receive, Status::unreachable);
    return Status::ok;
  }
  receives_.post(receive);
  while (waiting != nullptr) {
    kept_.take_out(*waiting);
    Receive& part = receives_.take_part(receive, waiting->envelope);
    const bool goes_on = receive.posted;  // else the end of the part is the end of the whole
    deliver(*waiting, part);
    if (!goes_on) break;
    waiting = kept_.find(request.pattern);
  }
  return Status::ok;
}

Unexpected& Mailbox::keep(const Envelope& message, const Header& header, Origin& origin) {
  const bool request = header.kind == FrameKind::request;
  Unexpected& kept =
      kept_.keep(message, request ? Unexpected::Kind::request : Unexpected::Kind::eager,
                 header.payload_bytes, &origin);
  kept.transfer = header.transfer;
  // Nobody will ask for it: so its sender is told, once it is complete.
  if (closed_ && request) {
    kept_.take_out(kept);
    kept.discarded = true;
  }
  return kept;
}

void Mailbox::arrived(Unexpected& message) {
  message.complete = true;
  if (message.receive != nullptr)
    deliver(message, *message.receive);
  else if (message.discarded)
    kept_.discard(message);
}

/// Gives a message that is no longer in the queue to its receive.
void Mailbox::deliver(Unexpected& message, Receive& receive) {
  receive.message = message.envelope;
  if (!message.complete) {
    message.receive = &receive;
    return;
  }
  receive.buffers.put(0, {message.payload.bytes.get(), message.payload_bytes});
  statistics_.copied_bytes += std::min(receive.buffers.bytes(), message.payload_bytes);
  if (message.kind == Unexpected::Kind::request) {
    Origin* origin = message.origin;
    const std::uint64_t transfer = message.transfer;
    const std::uint64_t ahead = message.payload_bytes;
    kept_.drop(message);
    origin->fetch(receive, transfer, ahead);
    if (ahead > 0) origin->came_ahead(receive);
    return;
  }
  if (message.kind == Unexpected::Kind::local) {
    copy(message.local->payload, receive.buffers);
    statistics_.copied_bytes += std::min(receive.buffers.bytes(), message.envelope.length);
    sends_.finish(*message.local, Status::ok);
  }
  kept_.drop(message);
  finish(receive, Status::ok);
}

void Mailbox::peek(const PeekRequest& request) {
  Completion completion;
  completion.kind = Completion::Kind::peek;
  completion.space = request.pattern.space;
  completion.context = request.context;
  completion.flags = request.flags;
  Unexpected* found = kept_.find(request.pattern);
  if (found == nullptr) {
    completion.status = Status::no_message;
  } else {
    completion.envelope = found->envelope;
    completion.length = found->envelope.length;
    if (request.claim || request.discard) kept_.take_out(*found);
    if (request.discard) {
      kept_.discard(*found);
    } else if (request.claim) {
      kept_.claim(*found, request.context);
    }
  }
  if (request.sink != nullptr) request.sink->complete(completion);
}

Status Mailbox::receive_claimed(const ReceiveRequest& request) {
  if (!fits_message(request.buffers)) return Status::invalid;
  Unexpected* message = kept_.take_claimed(request.context);
  if (message == nullptr) return Status::invalid;
  Receive& receive = receives_.remember(request);
  receive.multi = false;
  if (!message->lost) {
    deliver(*message, receive);
    return Status::ok;
  }
  receive.message = message->envelope;
  kept_.drop(*message);
  finish(receive, Status::unreachable);
  return Status::ok;
}

Status Mailbox::discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags) {
  Unexpected* message = kept_.take_claimed(context);
  if (message == nullptr) return Status::invalid;
  Completion completion;
  completion.kind = Completion::Kind::receive;
  completion.space = message->envelope.space;
  completion.context = context;
  completion.flags = flags;
  completion.envelope = message->envelope;
  if (message->lost)
    kept_.drop(*message);
  else
    kept_.discard(*message);
  if (sink != nullptr) sink->complete(completion);
  return Status::ok;
}

void Mailbox::forget(CompletionSink* sink) {
  sends_.forget(sink);
  receives_.forget(sink);
}

void Mailbox::close() {
  closed_ = true;
  kept_.discard_all();
}

void Mailbox::lose(const Origin& origin, Peer peer) {
  if (lost_.size() <= peer) lost_.resize(peer + 1);
  lost_[peer] = true;
  for (Unexpected* message : kept_.incomplete_of(origin)) lose(*message);
  receives_.lose(peer);
}

/// A message whose payload will not come any more.
void Mailbox::lose(Unexpected& message) {
  Receive* receive = message.receive;
  if (message.queued) kept_.take_out(message);
  if (message.claimed) {
    message.lost = true;
    return;
  }
  kept_.drop(message);
  if (receive != nullptr) finish(*receive, Status::unreachable);
}

Status Mailbox::send_to_self(const SendRequest& request, Peer self) {
  const std::uint64_t length = total_bytes(request.buffers);
  const Envelope envelope{.source = self,
                          .space = request.space,
                          .has_data = request.has_data,
                          .tag = request.tag,
                          .data = request.has_data ? request.data : 0,
                          .length = length};
  const bool buffered =
      length <= eager_bytes_ && kept_.bytes_to_self() + cost(length) <= self_budget;
  Receive* receive = match(envelope);
  if (receive == nullptr && !buffered && request.inject && !sends_.may_inject(length))
    return Status::try_again;
  if (receive != nullptr || buffered) {
    const Segments payload(request.buffers);
    if (receive != nullptr) {
      copy(payload, receive->buffers);
      finish(*receive, Status::ok);
    } else {
      Unexpected& kept = kept_.keep(envelope, Unexpected::Kind::eager, length, nullptr);
      payload.get(kept.payload.bytes.get());
      kept.complete = true;
    }
    statistics_.copied_bytes += length;
    Sends::tell(request, length);
    return Status::ok;
  }
  Unexpected& kept = kept_.keep(envelope, Unexpected::Kind::local, 0, nullptr);
  kept.complete = true;
  kept.local = &sends_.remember(request, false);
  return Status::ok;
}

void Mailbox::count(Statistics& statistics) const {
  statistics.posted_now = receives_.posted();
  kept_.count(statistics);
}

}  // namespace suiro::net
