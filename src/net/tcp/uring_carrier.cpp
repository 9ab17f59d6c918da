// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/uring_carrier.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "net/endpoint/waiting.hpp"

namespace suiro::net {
namespace {

constexpr std::size_t exact_bytes_max = 8 << 20;  // of one receive; the engine sees progress

enum class Kind : std::uint8_t { receive, watch, hang_up, listen, cancel };

std::uint64_t tag(Kind kind, StreamId stream) {
  return static_cast<std::uint64_t>(kind) << 32 | stream;
}

/// What waits in the kernel must be allowed to: on other sockets io_uring gives up at once.
void let_wait(int socket) { (void)fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK); }

}  // namespace

UringCarrier::UringCarrier(const Settings& settings, const std::vector<host::Link>& links)
    : TcpCarrier(settings, links), staging_(new std::byte[staging_bytes]) {
  for (std::size_t rail = 0; rail < links.size(); ++rail)
    requests_.push_back({Operation::listen, static_cast<StreamId>(rail)});
}

UringCarrier::~UringCarrier() {
  while (!streams_.empty()) UringCarrier::close(streams_.begin()->first);
}

void UringCarrier::abandon() noexcept {
  TcpCarrier::abandon();
  ring_.abandon();
}

void UringCarrier::establish(StreamId id, StreamKind kind) {
  TcpCarrier::establish(id, kind);
  Stream* stream = find(id);
  if (stream == nullptr) return;
  if (kind == StreamKind::control) return request_receive(*stream);
  requests_.push_back({Operation::watch_end, id});
}

void UringCarrier::arm(StreamId id) {
  Stream* stream = find(id);
  if (stream != nullptr && stream->is_bulk()) read_from_now_on(*stream);
}

/// An exact receive ends when the connection is shut down. It may be at work in the helper thread
/// now: only its completion says that it will touch the memory no more.
void UringCarrier::close(StreamId id) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  system_calls_ += 2;
  (void)shutdown(stream->socket.number(), SHUT_RDWR);
  if (stream->exact && ring_.has_unsubmitted()) ring_.submit();
  for (collect(); stream->exact; collect()) ring_.wait();
  if (stream->watched) requests_.push_back({Operation::cancel_watch, id});
  std::erase(direct_, id);
  stream->socket.close();
  bury(*stream);
}

// What the helper submits.

void UringCarrier::request_receive(Stream& stream) {
  if (stream.reading != Reading::idle) return;
  stream.reading = Reading::requested;
  requests_.push_back({Operation::receive, stream.id});
}

void UringCarrier::begin_reading(Stream& stream) {
  let_wait(stream.socket.number());
  request_receive(stream);
}

void UringCarrier::await_room(Stream& stream) {
  if (std::exchange(stream.watched, true)) return;
  requests_.push_back({Operation::watch, stream.id});
}

void UringCarrier::help() {
  if (!direct_.empty()) asleep_ = false;  // who sleeps is woken for their sake
  for (const Request& request : std::exchange(requests_, {})) {
    Stream* stream = find(request.stream);
    switch (request.operation) {
      case Operation::listen:
        ring_.watch(listeners_.sockets[request.stream].number(), POLLIN,
                    tag(Kind::listen, request.stream));
        break;
      case Operation::cancel_watch:
        ring_.cancel(tag(Kind::watch, request.stream), tag(Kind::cancel, request.stream));
        break;
      case Operation::cancel_receive:
        ring_.cancel(tag(Kind::receive, request.stream), tag(Kind::cancel, request.stream));
        break;
      case Operation::watch:
        if (stream != nullptr)
          ring_.watch(stream->socket.number(), POLLOUT, tag(Kind::watch, stream->id));
        break;
      case Operation::watch_end:
        if (stream != nullptr)
          ring_.watch(stream->socket.number(), POLLRDHUP, tag(Kind::hang_up, stream->id));
        break;
      case Operation::receive:
        if (stream != nullptr && stream->reading == Reading::requested) submit_receive(*stream);
    }
  }
  if (ring_.has_unsubmitted()) ring_.submit();
}

void UringCarrier::submit_receive(Stream& stream) {
  const int socket = stream.socket.number();
  const std::uint64_t data = tag(Kind::receive, stream.id);
  stream.reading = Reading::in_kernel;
  if (stream.is_bulk()) {
    const std::span<std::byte> target = events_->wanted(stream.id);
    stream.exact = !target.empty();
    if (stream.exact)
      ring_.receive_all(socket, target.first(std::min(target.size(), exact_bytes_max)), data);
    else
      stream.reading = Reading::idle;
  } else if (stream.stage == Stage::established) {
    ring_.receive_many(socket, data);
  } else {
    ring_.receive_some(socket, data);  // it may become a bulk stream
  }
}

// Events.

bool UringCarrier::prepare_sleep() {
  streak_ = 0;
  while (!direct_.empty()) stop_reading(0);
  collect();
  asleep_ = !has_failures() && completions_.empty();
  return asleep_;
}

bool UringCarrier::poll(std::int64_t wait_ns) {
  graveyard_.clear();
  collect();
  bool raised = raise_failures();
  if (wait_ns != 0 && !raised && prepare_sleep() && !wants_help()) {
    const std::int64_t alarm_wait_ns = time_until(alarm_ns_, now_ns());
    ++system_calls_;
    sleep_on({ring_.descriptor()}, alarm_wait_ns < 0 ? wait_ns
                                   : wait_ns < 0     ? alarm_wait_ns
                                                     : std::min(wait_ns, alarm_wait_ns));
    collect();
  }
  raised |= raise_completions();
  raised |= read_directly();
  raise_drained();
  raised |= raise_alarm();
  return raised;
}

/// Takes completions from the ring. They are raised by poll, in order.
void UringCarrier::collect() {
  for (UringRing::Completion completion; ring_.next(completion);) {
    completions_.push_back(completion);
    if (completion.more_follow() || completion.data >> 32 != static_cast<int>(Kind::receive))
      continue;
    if (Stream* stream = find(static_cast<StreamId>(completion.data))) stream->exact = false;
  }
}

bool UringCarrier::raise_completions() {
  if (completions_.empty()) return false;
  const auto batch = std::exchange(completions_, {});
  for (const UringRing::Completion& completion : batch) {
    handle(completion);
    ring_.give_back(completion);
  }
  return true;
}

void UringCarrier::handle(const UringRing::Completion& completion) {
  const auto id = static_cast<StreamId>(completion.data);
  const auto kind = static_cast<Kind>(completion.data >> 32);
  if (kind == Kind::listen) {
    requests_.push_back({Operation::listen, id});
    return accept_all(static_cast<std::uint8_t>(id));
  }
  Stream* stream = find(id);
  if (stream == nullptr) return;
  if (kind == Kind::watch) {
    stream->watched = false;
    has_room(*stream);
  }
  if (kind == Kind::receive) has_received(*stream, completion);
  if (kind == Kind::hang_up) has_ended(*stream);
  if (kind == Kind::cancel && completion.result < 0) stream->stopping = false;  // came too late
}

/// What is wanted of it and has arrived is read first.
void UringCarrier::has_ended(Stream& stream) {
  stream.ended = true;
  if (stream.reading == Reading::idle) end(stream, stream_error(0));
}

void UringCarrier::has_received(Stream& stream, const UringRing::Completion& completion) {
  const std::span<const std::byte> bytes = ring_.buffer(completion);
  if (!completion.more_follow()) stream.reading = Reading::idle;
  if (!bytes.empty()) {
    if (!stream.has_given) follow(stream);
    give(stream, bytes);
  } else if (completion.result > 0) {
    note_given(stream);
    events_->placed(stream.id, static_cast<std::size_t>(completion.result));
  }
  if (!stream.closed && !completion.more_follow()) receive_is_over(stream, completion.result);
}

void UringCarrier::receive_is_over(Stream& stream, int result) {
  // No buffer was free for a moment, or so: that does not end the stream.
  constexpr int passing[] = {-ECANCELED, -ENOBUFS, -EAGAIN, -EINTR, -ENOMEM};
  if (result <= 0 && std::ranges::find(passing, result) == std::end(passing))
    return end(stream, stream_error(-result));
  if (std::exchange(stream.stopping, false))
    read_from_now_on(stream);
  else if (!stream.is_bulk() || !events_->wanted(stream.id).empty())
    request_receive(stream);
  else if (stream.ended)
    end(stream, stream_error(0));
}

/// Bytes that lie in memory of ours.
void UringCarrier::give(Stream& stream, std::span<const std::byte> bytes) {
  note_given(stream);
  while (!bytes.empty() && !stream.closed) {
    const std::span<std::byte> target = events_->wanted(stream.id);
    const std::size_t placed = std::min(target.size(), bytes.size());
    if (placed > 0) {
      std::memcpy(target.data(), bytes.data(), placed);
      bytes = bytes.subspan(placed);
      events_->placed(stream.id, placed);
    } else if (stream.is_bulk()) {
      return end(stream, "the peer sent bytes that nobody had asked for");
    } else {
      events_->received(stream.id, std::exchange(bytes, {}));
    }
  }
}

void UringCarrier::note_given(Stream& stream) {
  if (!std::exchange(stream.has_given, true)) drained_.push_back(stream.id);
}

void UringCarrier::raise_drained() {
  for (const StreamId id : drained_) {
    Stream* stream = find(id);
    if (stream == nullptr) continue;
    stream->has_given = false;
    events_->drained(id);
  }
  drained_.clear();
}

}  // namespace suiro::net
