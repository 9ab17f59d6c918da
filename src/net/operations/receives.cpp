// SPDX-License-Identifier: BSD-3-Clause
#include "net/operations/receives.hpp"

#include <algorithm>
#include <vector>

#include "net/operations/origin.hpp"

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

Receive& Receives::remember(const ReceiveRequest& request) {
  Receive& receive = receives_.take();
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

void Receives::post(Receive& receive) {
  receive.posted = true;
  posted_.add(receive);
}

Receive* Receives::match(const Envelope& message) {
  auto* receive = static_cast<Receive*>(posted_.find(message));
  if (receive == nullptr) return nullptr;
  if (receive->multi) return &take_part(*receive, message);
  withdraw(*receive);
  receive->message = message;
  return receive;
}

Receive& Receives::take_part(Receive& whole, const Envelope& message) {
  Receive& part = receives_.take();
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

void Receives::withdraw(Receive& receive) {
  posted_.remove(receive);
  receive.posted = false;
}

void Receives::finish(Receive& receive, Status status) {
  if (status == Status::unreachable) ++unreachable_;
  const std::uint64_t room = receive.buffers.bytes();
  Completion completion = completion_of(receive, status);
  if (status == Status::ok) {
    completion.length = std::min(room, receive.message.length);
    completion.excess = receive.message.length - completion.length;
    if (completion.excess > 0) completion.status = Status::truncated;
    ++statistics_.messages_received;
  }
  if (Receive* whole = receive.whole; whole != nullptr) {
    --whole->parts;
    completion.buffer_released = whole->released && whole->parts == 0;
    if (completion.buffer_released) receives_.give(*whole);
  } else if (receive.multi) {
    completion.buffer_released = true;
  }
  const bool silent =
      receive.silent && completion.status == Status::ok && !completion.buffer_released;
  CompletionSink* sink = receive.sink;
  receives_.give(receive);
  if (sink != nullptr && !silent) sink->complete(completion);
}

bool Receives::cancel(void* context) {
  Receive* found = nullptr;
  receives_.for_each([&](Receive& receive) {
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

void Receives::forget(CompletionSink* sink) {
  std::vector<Receive*> to_end;  // not those that end with their last part
  receives_.for_each([&](Receive& receive) {
    if (receive.sink != sink) return;
    receive.sink = nullptr;
    receive.buffers = Segments();  // what still comes is read, and thrown away
    if (receive.posted || receive.transfer != nullptr) to_end.push_back(&receive);
  });
  for (Receive* receive : to_end) {
    if (receive->posted) {
      withdraw(*receive);
      receive->released = true;
      if (receive->parts == 0) receives_.give(*receive);
    } else {
      receive->origin->abandon(*receive);
    }
  }
}

void Receives::lose(Peer peer) {
  std::vector<Receive*> lost;
  receives_.for_each([&](Receive& receive) {
    if (receive.posted && receive.pattern.source == peer) lost.push_back(&receive);
  });
  for (Receive* receive : lost) {
    withdraw(*receive);
    receive->released = true;
    if (receive->parts == 0) finish(*receive, Status::unreachable);
  }
}

}  // namespace suiro::net
