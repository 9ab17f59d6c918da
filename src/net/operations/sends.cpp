// SPDX-License-Identifier: BSD-3-Clause
#include "net/operations/sends.hpp"

#include <memory>

namespace suiro::net {
namespace {

/// What a message costs its sender in memory while it waits though its user has the memory back:
/// what describes it, too.
constexpr std::uint64_t injected_cost(std::uint64_t message_bytes) { return message_bytes + 512; }

}  // namespace

bool Sends::may_inject(std::uint64_t bytes) const {
  return injected_bytes_ + injected_cost(bytes) <= budget_;
}

Send& Sends::remember(const SendRequest& request, bool copy) {
  Send& send = sends_.take();
  send.peer = request.peer;
  send.space = request.space;
  send.has_data = request.has_data;
  send.delivery_complete = request.delivery_complete;
  send.silent = request.silent;
  send.tag = request.tag;
  send.data = request.has_data ? request.data : 0;
  send.sink = request.sink;
  send.context = request.context;
  send.flags = request.flags;
  send.payload = Segments(request.buffers);
  if (request.inject || copy) {
    const std::uint64_t bytes = send.payload.bytes();
    send.copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    send.payload.get(send.copy.get());
    send.payload = Segments(send.copy.get(), bytes);
    statistics_.copied_bytes += bytes;
  }
  if (request.inject) {
    send.injected = true;
    injected_bytes_ += injected_cost(send.payload.bytes());
  }
  return send;
}

void Sends::tell(Send& send, Status status) {
  if (send.told) return;
  send.told = true;
  if (status == Status::unreachable) ++unreachable_;
  if (send.sink == nullptr || (send.silent && status == Status::ok)) return;
  Completion completion;
  completion.kind = Completion::Kind::send;
  completion.status = status;
  completion.space = send.space;
  completion.context = send.context;
  completion.flags = send.flags;
  completion.length = status == Status::ok ? send.payload.bytes() : 0;
  completion.peer = send.peer;
  send.sink->complete(completion);
}

void Sends::finish(Send& send, Status status) {
  tell(send, status);
  if (send.injected) injected_bytes_ -= injected_cost(send.payload.bytes());
  sends_.give(send);
}

void Sends::tell(const SendRequest& request, std::uint64_t length) {
  if (request.sink == nullptr || request.silent) return;
  Completion completion;
  completion.kind = Completion::Kind::send;
  completion.space = request.space;
  completion.context = request.context;
  completion.flags = request.flags;
  completion.length = length;
  completion.peer = request.peer;
  request.sink->complete(completion);
}

void Sends::forget(CompletionSink* sink) {
  sends_.for_each([&](Send& send) {
    if (send.sink == sink) send.sink = nullptr;
  });
}

}  // namespace suiro::net
