// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/core.hpp"

namespace suiro::net {

bool Core::suspects(std::size_t rail) const {
  if (!suspicions.hold(rail, statistics, carrier)) return false;
  for (std::size_t other = 0; other < links.size(); ++other)
    if (!suspicions.hold(other, statistics, carrier)) return true;
  return false;
}

Send& Core::remember(const SendRequest& request, bool copy) {
  Send& send = sends.take();
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
    statistics.copied_bytes += bytes;
  }
  if (request.inject) {
    send.injected = true;
    injected_bytes += injected_cost(send.payload.bytes());
  }
  return send;
}

void Core::tell(Send& send, Status status) {
  if (send.told) return;
  send.told = true;
  if (status == Status::unreachable) ++unreachable;
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

void Core::finish(Send& send, Status status) {
  tell(send, status);
  if (send.injected) injected_bytes -= injected_cost(send.payload.bytes());
  sends.give(send);
}

void Core::tell(const SendRequest& request, std::uint64_t length) {
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

std::uint64_t total_bytes(std::span<const iovec> pieces) {
  std::uint64_t total = 0;
  for (const iovec& piece : pieces) total += piece.iov_len;
  return total;
}

}  // namespace suiro::net
