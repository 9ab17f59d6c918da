// SPDX-License-Identifier: BSD-3-Clause
// The mailbox's rarer part: what ends without a message, and messages of a process to itself.
#include <vector>

#include "net/engine/session.hpp"
#include "net/engine/transfer.hpp"
#include "net/operations/mailbox.hpp"

namespace suiro::net {
namespace {

constexpr std::uint64_t self_budget = 1 << 20;

}  // namespace

bool Mailbox::cancel(void* context) {
  Receive* found = nullptr;
  core_.receives.for_each([&](Receive& receive) {
    const bool fits = receive.posted && receive.context == context;
    if (fits && (found == nullptr || receive.order < found->order)) found = &receive;
  });
  if (found == nullptr) return false;
  withdraw(*found);
  if (found->parts == 0) {
    finish(*found, Status::cancelled);
    return true;
  }
  // Messages are still written into the buffer: the last of them releases it.
  found->released = true;
  Completion completion;
  completion.kind = Completion::Kind::receive;
  completion.status = Status::cancelled;
  completion.space = found->pattern.space;
  completion.context = context;
  completion.flags = found->flags;
  if (found->sink != nullptr) found->sink->complete(completion);
  return true;
}

void Mailbox::forget(CompletionSink* sink) {
  core_.sends.for_each([&](Send& send) {
    if (send.sink == sink) send.sink = nullptr;
  });
  std::vector<Receive*> to_end;  // not those that end with their last part
  core_.receives.for_each([&](Receive& receive) {
    if (receive.sink != sink) return;
    receive.sink = nullptr;
    receive.buffers = Segments();  // what still comes is read, and thrown away
    if (receive.posted || receive.transfer != nullptr) to_end.push_back(&receive);
  });
  for (Receive* receive : to_end) {
    if (receive->posted) {
      withdraw(*receive);
      receive->released = true;
      if (receive->parts == 0) core_.receives.give(*receive);
    } else {
      receive->transfer->session->abandon(*receive);
    }
  }
}

void Mailbox::close() {
  closed_ = true;
  std::vector<Unexpected*> messages;
  core_.messages.for_each([&](Unexpected& message) {
    const bool unwanted = message.queued || message.claimed;
    if (unwanted && message.kind != Unexpected::Kind::eager) messages.push_back(&message);
  });
  for (Unexpected* message : messages) {
    if (message->queued) take_out(*message);
    std::erase_if(claimed_, [&](const auto& claimed) { return claimed.second == message; });
    discard(*message);
  }
}

void Mailbox::lose(Session& session, Peer peer) {
  if (lost_.size() <= peer) lost_.resize(peer + 1);
  lost_[peer] = true;
  std::vector<Unexpected*> messages;
  core_.messages.for_each([&](Unexpected& message) {
    const bool whole = message.kind == Unexpected::Kind::eager && message.complete;
    if (message.session == &session && !whole) messages.push_back(&message);
  });
  for (Unexpected* message : messages) lose(*message);
  std::vector<Receive*> receives;
  core_.receives.for_each([&](Receive& receive) {
    if (receive.posted && receive.pattern.source == peer) receives.push_back(&receive);
  });
  for (Receive* receive : receives) {
    withdraw(*receive);
    receive->released = true;
    if (receive->parts == 0) finish(*receive, Status::unreachable);
  }
}

/// A message whose payload will not come any more.
void Mailbox::lose(Unexpected& message) {
  Receive* receive = message.receive;
  if (message.queued) take_out(message);
  if (message.claimed) {
    message.lost = true;
    return;
  }
  drop(message);
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
      length <= core_.settings.eager_bytes && bytes_to_self_ + cost(length) <= self_budget;
  Receive* receive = match(envelope);
  if (receive == nullptr && !buffered && request.inject && !core_.may_inject(length))
    return Status::try_again;
  if (receive != nullptr || buffered) {
    const Segments payload(request.buffers);
    if (receive != nullptr) {
      copy(payload, receive->buffers);
      finish(*receive, Status::ok);
    } else {
      Unexpected& kept = keep(envelope, Unexpected::Kind::eager, length);
      payload.get(kept.payload.bytes.get());
      kept.complete = true;
      bytes_to_self_ += cost(length);
    }
    core_.statistics.copied_bytes += length;
    Core::tell(request, length);
    return Status::ok;
  }
  Unexpected& kept = keep(envelope, Unexpected::Kind::local, 0);
  kept.complete = true;
  kept.local = &core_.remember(request, false);
  return Status::ok;
}

void Mailbox::count(Statistics& statistics) const {
  statistics.posted_now = posted_.size();
  statistics.unexpected_now = unexpected_.size();
  statistics.unexpected_bytes_now = unexpected_bytes_;
}

}  // namespace suiro::net
