// SPDX-License-Identifier: BSD-3-Clause
#include "net/uring_carrier.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "net/waiting.hpp"

namespace suiro::net {
namespace {

constexpr std::size_t exact_bytes_max = 8 << 20;  // of one receive; the engine sees progress
constexpr int accepts_at_once = 64;
constexpr StreamId ids = StreamId{1} << 31;  // the upper half is for other carriers

enum class Kind : std::uint8_t { receive, watch, hang_up, listen, cancel };

std::uint64_t tag(Kind kind, StreamId stream) {
  return static_cast<std::uint64_t>(kind) << 32 | stream;
}

/// What waits in the kernel must be allowed to: on other sockets io_uring gives up at once.
void let_wait(int socket) { (void)fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK); }

}  // namespace

UringCarrier::UringCarrier(const Settings& settings, const std::vector<Link>& links)
    : settings_(settings),
      listeners_(listen_on(links)),
      reserve_(reserve_descriptor()),
      staging_(new std::byte[staging_bytes]) {
  for (std::size_t rail = 0; rail < links.size(); ++rail) {
    addresses_.push_back(links[rail].address);
    requests_.push_back({Operation::listen, static_cast<StreamId>(rail)});
  }
}

UringCarrier::~UringCarrier() {
  while (!streams_.empty()) UringCarrier::close(streams_.begin()->first);
}

void UringCarrier::abandon() noexcept {
  for (auto& [id, stream] : streams_) stream->socket.close();
  listeners_.sockets.clear();
  reserve_.close();
  ring_.abandon();
}

std::int64_t UringCarrier::now_ns() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

UringCarrier::Stream* UringCarrier::find(StreamId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

UringCarrier::Stream& UringCarrier::add(Descriptor socket) {
  do last_id_ = (last_id_ + 1) % ids;
  while (last_id_ == no_stream || streams_.contains(last_id_));
  auto& stream = streams_[last_id_];
  stream = std::make_unique<Stream>();
  stream->id = last_id_;
  stream->socket = std::move(socket);
  return *stream;
}

StreamId UringCarrier::open(const Name& peer, const Route& route) {
  system_calls_ += 3;
  Descriptor socket =
      connect_from(addresses_.at(route.own_rail), peer.addresses.at(route.peer_rail), peer.port);
  const int error = errno;
  Stream& stream = add(std::move(socket));
  stream.stage = Stream::Stage::connecting;
  if (stream.socket) {
    prepare_stream(stream.socket.number(), settings_);
    let_wait(stream.socket.number());
    request_watch(stream);
  } else {
    failed_.push_back({stream.id, stream_error(error)});
  }
  return stream.id;
}

void UringCarrier::establish(StreamId id, StreamKind kind) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  stream->stage = Stream::Stage::established;
  stream->kind = kind;
  if (kind == StreamKind::control) return request_receive(*stream);
  prepare_bulk(stream->socket.number(), settings_);
  requests_.push_back({Operation::watch_end, id});
}

std::size_t UringCarrier::write(StreamId id, std::span<const iovec> bytes) {
  Stream* stream = find(id);
  if (stream == nullptr || stream->stage == Stream::Stage::connecting) return 0;
  ++system_calls_;
  const std::ptrdiff_t written = send_to(stream->socket.number(), bytes);
  if (written < 0) {
    failed_.push_back({id, stream_error(static_cast<int>(-written))});
    return 0;
  }
  std::size_t total = 0;
  for (const iovec& part : bytes) total += part.iov_len;
  if (static_cast<std::size_t>(written) < total) {
    stream->blocked = true;
    request_watch(*stream);
  }
  return static_cast<std::size_t>(written);
}

void UringCarrier::arm(StreamId id) {
  Stream* stream = find(id);
  if (stream != nullptr && stream->is_bulk()) read_from_now_on(*stream);
}

/// An exact receive ends when the connection is shut down. It may be at work in the helper thread
/// now: only its completion says that it will touch the memory no more.
void UringCarrier::close(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Stream& stream = *found->second;
  stream.closed = true;
  system_calls_ += 2;
  (void)shutdown(stream.socket.number(), SHUT_RDWR);
  if (stream.exact && ring_.has_unsubmitted()) ring_.submit();
  for (collect(); stream.exact; collect()) ring_.wait();
  if (stream.watched) requests_.push_back({Operation::cancel_watch, id});
  std::erase(direct_, id);
  stream.socket.close();
  graveyard_.push_back(std::move(found->second));
  streams_.erase(found);
}

void UringCarrier::end(Stream& stream, const std::string& reason) {
  const StreamId id = stream.id;
  close(id);
  events_->closed(id, reason);
}

// What the helper submits.

void UringCarrier::request_receive(Stream& stream) {
  if (stream.reading != Stream::Reading::idle) return;
  stream.reading = Stream::Reading::requested;
  requests_.push_back({Operation::receive, stream.id});
}

void UringCarrier::request_watch(Stream& stream) {
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
        if (stream != nullptr && stream->reading == Stream::Reading::requested)
          submit_receive(*stream);
    }
  }
  if (ring_.has_unsubmitted()) ring_.submit();
}

void UringCarrier::submit_receive(Stream& stream) {
  const int socket = stream.socket.number();
  const std::uint64_t data = tag(Kind::receive, stream.id);
  stream.reading = Stream::Reading::in_kernel;
  if (stream.is_bulk()) {
    const std::span<std::byte> target = events_->wanted(stream.id);
    stream.exact = !target.empty();
    if (stream.exact)
      ring_.receive_all(socket, target.first(std::min(target.size(), exact_bytes_max)), data);
    else
      stream.reading = Stream::Reading::idle;
  } else if (stream.stage == Stream::Stage::established) {
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
  asleep_ = failed_.empty() && completions_.empty();
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

bool UringCarrier::raise_failures() {
  bool raised = false;
  for (const Failure& failure : std::exchange(failed_, {})) {
    Stream* stream = find(failure.stream);
    if (stream == nullptr) continue;
    end(*stream, failure.reason);
    raised = true;
  }
  return raised;
}

bool UringCarrier::raise_alarm() {
  if (alarm_ns_ == no_alarm || now_ns() < alarm_ns_) return false;
  alarm_ns_ = no_alarm;
  events_->alarm();
  return true;
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
  if (kind == Kind::listen) return accept_all(static_cast<std::uint8_t>(id));
  Stream* stream = find(id);
  if (stream == nullptr) return;
  if (kind == Kind::watch) became_writable(*stream);
  if (kind == Kind::receive) has_received(*stream, completion);
  if (kind == Kind::hang_up) has_ended(*stream);
  if (kind == Kind::cancel && completion.result < 0) stream->stopping = false;  // came too late
}

void UringCarrier::accept_all(std::uint8_t rail) {
  requests_.push_back({Operation::listen, rail});
  for (int i = 0; i < accepts_at_once; ++i) {
    ++system_calls_;
    Descriptor socket = accept_from(listeners_.sockets[rail].number(), reserve_);
    if (!socket) return;
    prepare_stream(socket.number(), settings_);
    let_wait(socket.number());
    Stream& stream = add(std::move(socket));
    request_receive(stream);
    events_->accepted(stream.id, Route{.own_rail = rail});
  }
}

void UringCarrier::became_writable(Stream& stream) {
  stream.watched = false;
  if (stream.stage == Stream::Stage::connecting) {
    const int error = connect_result(stream.socket.number());
    if (error != 0) return end(stream, stream_error(error));
    stream.stage = Stream::Stage::opening;
    request_receive(stream);
    events_->opened(stream.id);
  } else if (std::exchange(stream.blocked, false)) {
    events_->writable(stream.id);
  }
}

/// What is wanted of it and has arrived is read first.
void UringCarrier::has_ended(Stream& stream) {
  stream.ended = true;
  if (stream.reading == Stream::Reading::idle) end(stream, stream_error(0));
}

void UringCarrier::has_received(Stream& stream, const UringRing::Completion& completion) {
  const std::span<const std::byte> bytes = ring_.buffer(completion);
  if (!completion.more_follow()) stream.reading = Stream::Reading::idle;
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
