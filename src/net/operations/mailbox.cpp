// SPDX-License-Identifier: BSD-3-Clause
#include "net/operations/mailbox.hpp"

#include <algorithm>

#include "net/engine/session.hpp"

namespace suiro::net {
namespace {

Completion completion_of(const Receive& receive, Status status) {
  Completion completion;
  completion.kind = Completion::Kind::receive;
  completion.status = status;
  completion.space = receive.pattern.space;
  completion.context = receive.context;
  completion.flags = receive.flags;
  completion.buffer = receive.buffers.begin();
  completion.envelope = receive.message;
  return completion;
}

}  // namespace

Receive& Mailbox::remember(const ReceiveRequest& request) {
  Receive& receive = core_.receives.take();
  receive.pattern = request.pattern;
  receive.silent = request.silent;
  receive.multi = request.multi;
  receive.minimum = request.multi_minimum;
  receive.buffers = Segments(request.buffers);
  receive.sink = request.sink;
  receive.context = request.context;
  receive.flags = request.flags;
  return receive;
}

Status Mailbox::receive(const ReceiveRequest& request) {
  if (!fits_message(request.buffers)) return Status::invalid;
  Receive& receive = remember(request);
  auto* waiting = static_cast<Unexpected*>(unexpected_.find(request.pattern));
  if (waiting != nullptr && !request.multi) {
    take_out(*waiting);
    deliver(*waiting, receive);
    return Status::ok;
  }
  const Peer source = request.pattern.source;
  if (waiting == nullptr && source < lost_.size() && lost_[source]) {
    finish(receive, Status::unreachable);
    return Status::ok;
  }
  receive.posted = true;
  posted_.add(receive);
  while (waiting != nullptr) {
    take_out(*waiting);
    Receive& part = take_part(receive, waiting->envelope);
    const bool goes_on = receive.posted;  // else the end of the part is the end of the whole
    deliver(*waiting, part);
    if (!goes_on) break;
    waiting = static_cast<Unexpected*>(unexpected_.find(request.pattern));
  }
  return Status::ok;
}

Receive* Mailbox::match(const Envelope& message) {
  auto* receive = static_cast<Receive*>(posted_.find(message));
  if (receive == nullptr) return nullptr;
  if (receive->multi) return &take_part(*receive, message);
  withdraw(*receive);
  receive->message = message;
  return receive;
}

/// Cuts the next piece of a multi-receive's buffer for one message.
Receive& Mailbox::take_part(Receive& whole, const Envelope& message) {
  Receive& part = core_.receives.take();
  const std::uint64_t left = whole.buffers.bytes() - whole.used;
  const std::uint64_t bytes = std::min(left, message.length);
  part.pattern = whole.pattern;
  part.silent = whole.silent;
  part.sink = whole.sink;
  part.context = whole.context;
  part.flags = whole.flags;
  part.whole = &whole;
  part.message = message;
  part.buffers = bytes > 0 ? whole.buffers.part(whole.used, bytes)
                           : Segments(whole.buffers.at(whole.used).data(), 0);
  whole.used += bytes;
  ++whole.parts;
  if (left - bytes < std::max<std::uint64_t>(whole.minimum, 1)) {
    whole.released = true;
    withdraw(whole);
  }
  return part;
}

void Mailbox::withdraw(Receive& receive) {
  posted_.remove(receive);
  receive.posted = false;
}

void Mailbox::finish(Receive& receive, Status status) {
  if (status == Status::unreachable) ++core_.unreachable;
  const std::uint64_t room = receive.buffers.bytes();
  Completion completion = completion_of(receive, status);
  if (status == Status::ok) {
    completion.length = std::min(room, receive.message.length);
    completion.excess = receive.message.length - completion.length;
    if (completion.excess > 0) completion.status = Status::truncated;
    ++core_.statistics.messages_received;
  }
  if (Receive* whole = receive.whole; whole != nullptr) {
    --whole->parts;
    completion.buffer_released = whole->released && whole->parts == 0;
    if (completion.buffer_released) core_.receives.give(*whole);
  } else if (receive.multi) {
    completion.buffer_released = true;
  }
  const bool silent =
      receive.silent && completion.status == Status::ok && !completion.buffer_released;
  CompletionSink* sink = receive.sink;
  core_.receives.give(receive);
  if (sink != nullptr && !silent) sink->complete(completion);
}

Unexpected& Mailbox::keep(const Envelope& message, const Header& header, Session& session) {
  const bool request = header.kind == FrameKind::request;
  Unexpected& kept = keep(message, request ? Unexpected::Kind::request : Unexpected::Kind::eager,
                          header.payload_bytes);
  kept.session = &session;
  kept.transfer = header.transfer;
  // Nobody will ask for it: so its sender is told, once it is complete.
  if (closed_ && request) {
    take_out(kept);
    kept.discarded = true;
  }
  return kept;
}

Unexpected& Mailbox::keep(const Envelope& message, Unexpected::Kind kind,
                          std::uint64_t payload_bytes) {
  Unexpected& kept = core_.messages.take();
  kept.envelope = message;
  kept.kind = kind;
  kept.payload_bytes = payload_bytes;
  if (kind == Unexpected::Kind::eager || payload_bytes > 0) {
    kept.payload = spare_.take(payload_bytes);
    kept.charged_bytes = cost(payload_bytes);
    unexpected_bytes_ += kept.charged_bytes;
    core_.statistics.most_unexpected_bytes =
        std::max(core_.statistics.most_unexpected_bytes, unexpected_bytes_);
  }
  kept.queued = true;
  unexpected_.add(kept);
  ++core_.statistics.unexpected;
  return kept;
}

void Mailbox::take_out(Unexpected& message) {
  unexpected_.remove(message);
  message.queued = false;
}

void Mailbox::arrived(Unexpected& message) {
  message.complete = true;
  if (message.receive != nullptr)
    deliver(message, *message.receive);
  else if (message.discarded)
    discard(message);
}

/// Gives a message that is no longer in the queue to its receive.
void Mailbox::deliver(Unexpected& message, Receive& receive) {
  receive.message = message.envelope;
  if (!message.complete) {
    message.receive = &receive;
    return;
  }
  receive.buffers.put(0, {message.payload.bytes.get(), message.payload_bytes});
  core_.statistics.copied_bytes += std::min(receive.buffers.bytes(), message.payload_bytes);
  if (message.kind == Unexpected::Kind::request) {
    Session* session = message.session;
    const std::uint64_t transfer = message.transfer;
    const std::uint64_t ahead = message.payload_bytes;
    drop(message);
    session->fetch(receive, transfer, ahead);
    if (ahead > 0) session->came_ahead(receive);
    return;
  }
  if (message.kind == Unexpected::Kind::local) {
    copy(message.local->payload, receive.buffers);
    core_.statistics.copied_bytes += std::min(receive.buffers.bytes(), message.envelope.length);
    core_.finish(*message.local, Status::ok);
  }
  drop(message);
  finish(receive, Status::ok);
}

void Mailbox::discard(Unexpected& message) {
  if (!message.complete) {
    message.discarded = true;
    return;
  }
  if (message.kind == Unexpected::Kind::local) core_.finish(*message.local, Status::ok);
  if (message.kind == Unexpected::Kind::request && message.session != nullptr)
    message.session->decline(message.transfer);
  drop(message);
}

/// Frees a message, and tells its sender that there is room again.
void Mailbox::drop(Unexpected& message) {
  Session* session = message.session;
  const std::uint64_t freed = message.charged_bytes;
  unexpected_bytes_ -= freed;
  spare_.give(std::move(message.payload));
  core_.messages.give(message);
  if (freed == 0) return;
  if (session != nullptr)
    session->consumed(freed);
  else
    bytes_to_self_ -= freed;
}

void Mailbox::peek(const PeekRequest& request) {
  Completion completion;
  completion.kind = Completion::Kind::peek;
  completion.space = request.pattern.space;
  completion.context = request.context;
  completion.flags = request.flags;
  auto* found = static_cast<Unexpected*>(unexpected_.find(request.pattern));
  if (found == nullptr) {
    completion.status = Status::no_message;
  } else {
    completion.envelope = found->envelope;
    completion.length = found->envelope.length;
    if (request.claim || request.discard) take_out(*found);
    if (request.discard) {
      discard(*found);
    } else if (request.claim) {
      found->claimed = true;
      claimed_.emplace(request.context, found);
    }
  }
  if (request.sink != nullptr) request.sink->complete(completion);
}

Unexpected* Mailbox::take_claimed(void* context) {
  const auto found = claimed_.find(context);
  if (found == claimed_.end()) return nullptr;
  Unexpected* message = found->second;
  claimed_.erase(found);
  message->claimed = false;
  return message;
}

Status Mailbox::receive_claimed(const ReceiveRequest& request) {
  if (!fits_message(request.buffers)) return Status::invalid;
  Unexpected* message = take_claimed(request.context);
  if (message == nullptr) return Status::invalid;
  Receive& receive = remember(request);
  receive.multi = false;
  if (!message->lost) {
    deliver(*message, receive);
    return Status::ok;
  }
  receive.message = message->envelope;
  drop(*message);
  finish(receive, Status::unreachable);
  return Status::ok;
}

Status Mailbox::discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags) {
  Unexpected* message = take_claimed(context);
  if (message == nullptr) return Status::invalid;
  Completion completion;
  completion.kind = Completion::Kind::receive;
  completion.space = message->envelope.space;
  completion.context = context;
  completion.flags = flags;
  completion.envelope = message->envelope;
  if (message->lost)
    drop(*message);
  else
    discard(*message);
  if (sink != nullptr) sink->complete(completion);
  return Status::ok;
}

}  // namespace suiro::net
