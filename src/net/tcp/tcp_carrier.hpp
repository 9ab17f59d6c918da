// SPDX-License-Identifier: BSD-3-Clause
// What every carrier over TCP has: listeners, streams by number, their openings, writes and
// failures. How a carrier hears of what arrives is its own. A template, so that reading a stream
// of the carrier's own type costs no virtual call.
#pragma once

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/sockets.hpp"
#include "net/carrier/real_carrier.hpp"
#include "net/tcp/sockets.hpp"

namespace suiro::net {

struct TcpStream {
  enum class Stage : std::uint8_t { connecting, opening, established };

  bool is_bulk() const { return stage == Stage::established && kind == StreamKind::bulk; }

  StreamId id = no_stream;
  Descriptor socket;
  Stage stage = Stage::opening;
  StreamKind kind = StreamKind::control;
  bool blocked = false;  // a write took less than all
  bool closed = false;   // only waits to be deleted
};

template <typename Stream>
class TcpCarrier : public RealCarrier {
 public:
  std::uint16_t port() const { return listeners_.port; }

  std::int64_t now_ns() const override { return monotonic_ns(); }
  void attach(Events& events) override { events_ = &events; }
  void set_alarm(std::int64_t at_ns) override { alarm_ns_ = at_ns; }
  std::int64_t alarm_ns() const override { return alarm_ns_; }
  bool has_failures() const override { return !failed_.empty(); }
  void abandon() noexcept override;
  std::uint64_t system_calls() const override { return system_calls_; }

  StreamId open(const Name& peer, const Route& route) override;
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;

 protected:
  using Stage = TcpStream::Stage;

  /// Listens on the links. Throws std::runtime_error.
  TcpCarrier(const Settings& settings, const std::vector<host::Link>& links);

  /// has_room() is to be called when the socket is writable.
  virtual void await_room(Stream& stream) = 0;
  /// The stream is connected: hear of what arrives on it.
  virtual void begin_reading(Stream& stream) = 0;

  Stream* find(StreamId id);
  void accept_all(std::uint8_t rail);
  void has_room(Stream& stream);
  /// Tells why, in the next poll.
  void fail(StreamId id, int error) { failed_.push_back({id, stream_error(error)}); }
  void end(Stream& stream, const std::string& reason);
  /// Out of sight; deleted in the next poll, since an event of its own may be at work.
  void bury(Stream& stream);
  bool raise_failures();
  bool raise_alarm();

  Listeners listeners_;
  Events* events_ = nullptr;
  std::unordered_map<StreamId, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Stream>> graveyard_;
  std::int64_t alarm_ns_ = never_ns;
  std::uint64_t system_calls_ = 0;

 private:
  struct Failure {
    StreamId stream;
    std::string reason;
  };

  Stream& add(Descriptor socket);
  Stream*& known(StreamId id) { return known_[id % known_.size()]; }

  Settings settings_;
  std::vector<std::uint32_t> addresses_;  // of the rails
  std::array<Stream*, 64> known_{};       // some streams, each in the place that its number gives
  Descriptor reserve_;
  std::vector<Failure> failed_;
  StreamId last_id_ = no_stream;
};

template <typename Stream>
TcpCarrier<Stream>::TcpCarrier(const Settings& settings, const std::vector<host::Link>& links)
    : listeners_(listen_on(links)), settings_(settings), reserve_(reserve_descriptor()) {
  for (const host::Link& link : links) addresses_.push_back(link.address);
}

template <typename Stream>
void TcpCarrier<Stream>::abandon() noexcept {
  for (auto& [id, stream] : streams_) stream->socket.close();
  listeners_.sockets.clear();
  reserve_.close();
}

template <typename Stream>
Stream* TcpCarrier<Stream>::find(StreamId id) {
  Stream*& known = this->known(id);
  if (known != nullptr && known->id == id) return known;
  const auto found = streams_.find(id);
  if (found == streams_.end()) return nullptr;
  return known = found->second.get();
}

template <typename Stream>
Stream& TcpCarrier<Stream>::add(Descriptor socket) {
  constexpr StreamId ids = StreamId{1} << 31;  // the upper half is for other carriers
  do last_id_ = (last_id_ + 1) % ids;
  while (last_id_ == no_stream || streams_.contains(last_id_));
  auto& stream = streams_[last_id_];
  stream = std::make_unique<Stream>();
  stream->id = last_id_;
  stream->socket = std::move(socket);
  return *stream;
}

template <typename Stream>
StreamId TcpCarrier<Stream>::open(const Name& peer, const Route& route) {
  system_calls_ += 3;
  Descriptor socket =
      connect_from(addresses_.at(route.own_rail), peer.addresses.at(route.peer_rail), peer.port);
  const int error = errno;
  Stream& stream = add(std::move(socket));
  stream.stage = Stage::connecting;
  if (stream.socket) {
    prepare_stream(stream.socket.number(), settings_);
    await_room(stream);
  } else {
    fail(stream.id, error);
  }
  return stream.id;
}

template <typename Stream>
void TcpCarrier<Stream>::accept_all(std::uint8_t rail) {
  constexpr int accepts_at_once = 64;
  for (int i = 0; i < accepts_at_once; ++i) {
    ++system_calls_;
    Descriptor socket = accept_from(listeners_.sockets[rail].number(), reserve_);
    if (!socket) return;
    prepare_stream(socket.number(), settings_);
    Stream& stream = add(std::move(socket));
    begin_reading(stream);
    events_->accepted(stream.id, Route{.own_rail = rail});
  }
}

template <typename Stream>
void TcpCarrier<Stream>::establish(StreamId id, StreamKind kind) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  stream->stage = Stage::established;
  stream->kind = kind;
  if (kind == StreamKind::bulk) prepare_bulk(stream->socket.number(), settings_);
}

template <typename Stream>
std::size_t TcpCarrier<Stream>::write(StreamId id, std::span<const iovec> bytes) {
  Stream* stream = find(id);
  if (stream == nullptr || stream->stage == Stage::connecting) return 0;
  ++system_calls_;
  const std::ptrdiff_t written = send_to(stream->socket.number(), bytes);
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

template <typename Stream>
void TcpCarrier<Stream>::has_room(Stream& stream) {
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

template <typename Stream>
void TcpCarrier<Stream>::end(Stream& stream, const std::string& reason) {
  const StreamId id = stream.id;
  close(id);
  events_->closed(id, reason);
}

template <typename Stream>
void TcpCarrier<Stream>::bury(Stream& stream) {
  const auto found = streams_.find(stream.id);
  stream.closed = true;
  known(stream.id) = nullptr;
  graveyard_.push_back(std::move(found->second));
  streams_.erase(found);
}

template <typename Stream>
bool TcpCarrier<Stream>::raise_failures() {
  bool raised = false;
  for (const Failure& failure : std::exchange(failed_, {})) {
    Stream* stream = find(failure.stream);
    if (stream == nullptr) continue;
    end(*stream, failure.reason);
    raised = true;
  }
  return raised;
}

template <typename Stream>
bool TcpCarrier<Stream>::raise_alarm() {
  if (alarm_ns_ == never_ns || now_ns() < alarm_ns_) return false;
  alarm_ns_ = never_ns;
  events_->alarm();
  return true;
}

}  // namespace suiro::net
