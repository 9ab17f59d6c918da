// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/streams.hpp"

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace suiro::net {
namespace {

using Stage = TcpStream::Stage;

constexpr std::uint64_t listener_tag = std::uint64_t{1} << 32;
/// So often within the time that a host may be silent it is asked whether one is.
constexpr std::int64_t looks = 8;

}  // namespace

TcpStreams::TcpStreams(const Settings& settings, const std::vector<host::Link>& links)
    : settings_(settings),
      listeners_(listen_on(links)),
      reserve_(reserve_descriptor()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::runtime_error("cannot use epoll: " + stream_error(errno));
  addresses_.reserve(links.size());
  for (std::size_t rail = 0; rail < links.size(); ++rail) {
    addresses_.push_back(links[rail].address);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = listener_tag | rail}};
    const int listener = listeners_.sockets[rail].number();
    if (epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, listener, &event) != 0)
      throw std::runtime_error("cannot use epoll: " + stream_error(errno));
  }
}

TcpStreams::~TcpStreams() {
  for (auto& [id, stream] : streams_) close_stream(stream->socket);
}

void TcpStreams::abandon() noexcept {
  for (auto& [id, stream] : streams_) stream->socket.close();
  listeners_.sockets.clear();
  reserve_.close();
  epoll_.close();
}

TcpStream* TcpStreams::find(StreamId id) {
  TcpStream*& known = this->known(id);
  if (known != nullptr && known->id == id) return known;
  const auto found = streams_.find(id);
  if (found == streams_.end()) return nullptr;
  return known = found->second.get();
}

TcpStream& TcpStreams::add(Descriptor socket) {
  constexpr StreamId ids = StreamId{1} << 31;  // the upper half is for other carriers
  do last_id_ = (last_id_ + 1) % ids;
  while (last_id_ == no_stream || streams_.contains(last_id_));
  auto& stream = streams_[last_id_];
  stream = std::make_unique<TcpStream>();
  stream->id = last_id_;
  stream->socket = std::move(socket);
  if (look_ns_ == never_ns) look_ns_ = monotonic_ns() + settings_.peer_timeout_ns / looks;
  return *stream;
}

StreamId TcpStreams::open(const Name& peer, const Route& route) {
  system_calls_ += 3;
  Descriptor socket =
      connect_from(addresses_.at(route.own_rail), peer.addresses.at(route.peer_rail), peer.port);
  const int error = errno;
  TcpStream& stream = add(std::move(socket));
  stream.stage = Stage::connecting;
  if (stream.socket) {
    prepare_stream(stream.socket.number(), settings_);
    await_room(stream);
  } else {
    fail(stream.id, error);
  }
  return stream.id;
}

void TcpStreams::accept_all(std::uint8_t rail) {
  constexpr int accepts_at_once = 64;
  for (int i = 0; i < accepts_at_once; ++i) {
    ++system_calls_;
    Descriptor socket = accept_from(listeners_.sockets[rail].number(), reserve_);
    if (!socket) return;
    prepare_stream(socket.number(), settings_);
    TcpStream& stream = add(std::move(socket));
    begin_reading(stream);
    events_->accepted(stream.id, Route{.own_rail = rail});
  }
}

void TcpStreams::establish(StreamId id, StreamKind kind) {
  TcpStream* stream = find(id);
  if (stream == nullptr) return;
  stream->stage = Stage::established;
  stream->kind = kind;
  if (kind == StreamKind::bulk) prepare_bulk(stream->socket.number(), settings_);
}

std::size_t TcpStreams::write(StreamId id, std::span<const iovec> bytes) {
  TcpStream* stream = find(id);
  if (stream == nullptr) return 0;
  ++system_calls_;
  stream->may_wait = true;
  const std::ptrdiff_t written = send_to(stream->socket.number(), bytes);
  if (stream->stage == Stage::connecting)
    return written > 0 ? static_cast<std::size_t>(written) : 0;
  if (written < 0) {
    fail(id, static_cast<int>(-written));
    return 0;
  }
  std::size_t total = 0;
  for (const iovec& part : bytes) total += part.iov_len;
  if (static_cast<std::size_t>(written) < total) {
    stream->blocked = true;
    await_room(*stream);
  }
  return static_cast<std::size_t>(written);
}

void TcpStreams::has_room(TcpStream& stream) {
  if (stream.stage == Stage::connecting) {
    const int error = connect_result(stream.socket.number());
    ++system_calls_;
    if (error != 0) return end(stream, stream_error(error));
    stream.stage = Stage::opening;
    begin_reading(stream);
    events_->opened(stream.id);
  } else if (std::exchange(stream.blocked, false)) {
    events_->writable(stream.id);
  }
}

/// Level-triggered, so that whoever sleeps on the epoll descriptor is told again of what nobody
/// has read yet.
void TcpStreams::watch(TcpStream& stream, std::uint32_t interest) {
  if (stream.interest == interest) return;
  epoll_event event{.events = interest, .data = {.u64 = stream.id}};
  const int operation = stream.interest == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  stream.interest = interest;
  ++system_calls_;
  if (epoll_ctl(epoll_.number(), operation, stream.socket.number(), &event) != 0)
    fail(stream.id, errno);
}

int TcpStreams::happened(std::span<epoll_event> events) {
  ++system_calls_;
  return epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), 0);
}

int TcpStreams::listener_of(const epoll_event& event) {
  const std::uint64_t number = event.data.u64;
  return (number & listener_tag) != 0 ? static_cast<int>(number & ~listener_tag) : -1;
}

void TcpStreams::close(TcpStream& stream) {
  // Closing alone would leave it in the set for as long as a forked child has it open.
  if (stream.interest != 0)
    (void)epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, stream.socket.number(), nullptr);
  close_stream(stream.socket);
  system_calls_ += 3;
  const auto found = streams_.find(stream.id);
  stream.closed = true;
  known(stream.id) = nullptr;
  graveyard_.push_back(std::move(found->second));
  streams_.erase(found);
}

void TcpStreams::end(TcpStream& stream, const std::string& reason) {
  const StreamId id = stream.id;
  close(stream);
  events_->closed(id, reason);
}

void TcpStreams::look_for_answers(std::int64_t now_ns) {
  if (now_ns < look_ns_) return;
  look_ns_ = streams_.empty() ? never_ns : now_ns + settings_.peer_timeout_ns / looks;
  for (auto& [id, stream] : streams_) {
    // Of thousands most are idle. How long connecting may take the engine knows.
    if (!stream->may_wait || stream->stage == Stage::connecting) continue;
    system_calls_ += 2;
    const UnderWay it = under_way(stream->socket.number(), now_ns);
    if (stream->answers.missing(it, now_ns, settings_.peer_timeout_ns)) fail(id, ETIMEDOUT);
    stream->may_wait = it.any;
  }
}

bool TcpStreams::raise_failures() {
  bool raised = false;
  for (const Failure& failure : std::exchange(failed_, {})) {
    TcpStream* stream = find(failure.stream);
    if (stream == nullptr) continue;
    end(*stream, failure.reason);
    raised = true;
  }
  return raised;
}

}  // namespace suiro::net
