// SPDX-License-Identifier: BSD-3-Clause
// The streams of a carrier over TCP: how they come to be, are written, fail and end, and what epoll
// is to tell of each.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/sockets.hpp"
#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/protocol/settings.hpp"
#include "net/tcp/answers.hpp"
#include "net/tcp/sockets.hpp"

namespace suiro::net {

struct TcpStream {
  enum class Stage : std::uint8_t { connecting, opening, established };

  bool is_bulk() const { return stage == Stage::established && kind == StreamKind::bulk; }

  StreamId id = no_stream;
  Descriptor socket;
  Stage stage = Stage::opening;
  StreamKind kind = StreamKind::control;
  bool blocked = false;        // a write took less than all
  bool closed = false;         // only waits to be deleted
  std::uint32_t interest = 0;  // what epoll tells of
  std::size_t low_mark = 1;    // bytes from which on it tells that there are some
  bool may_wait = false;       // for an answer from the peer's host
  Answers answers;
};

class TcpStreams {
 public:
  /// Listens on the links. Throws std::runtime_error.
  TcpStreams(const Settings& settings, const std::vector<host::Link>& links);
  ~TcpStreams();
  TcpStreams(const TcpStreams&) = delete;
  TcpStreams& operator=(const TcpStreams&) = delete;

  void attach(Events& events) { events_ = &events; }
  std::uint16_t port() const { return listeners_.port; }
  int epoll() const { return epoll_.number(); }

  /// Null if it is closed.
  TcpStream* find(StreamId id);
  StreamId open(const Name& peer, const Route& route);
  void establish(StreamId stream, StreamKind kind);
  std::size_t write(StreamId stream, std::span<const iovec> bytes);
  /// Out of sight; deleted by bury_closed(), since an event of its own may be at work.
  void close(TcpStream& stream);
  void bury_closed() { graveyard_.clear(); }

  /// What epoll tells of the stream from now on.
  void watch(TcpStream& stream, std::uint32_t interest);
  /// What epoll has told, at most so many; without waiting.
  int happened(std::span<epoll_event> events);
  /// Which listener an event is about; -1: it is about the stream of this number.
  static int listener_of(const epoll_event& event);
  void accept_all(std::uint8_t rail);
  /// The socket is writable: it is connected, or takes more.
  void has_room(TcpStream& stream);

  /// When look_for_answers is due.
  std::int64_t look_ns() const { return look_ns_; }
  /// Streams whose peers' hosts are gone have failed.
  void look_for_answers(std::int64_t now_ns);

  /// To be told by raise_failures.
  void fail(StreamId id, int error) { failed_.push_back({id, stream_error(error)}); }
  bool has_failures() const { return !failed_.empty(); }
  bool raise_failures();
  /// Closes, and tells the engine.
  void end(TcpStream& stream, const std::string& reason);

  void abandon() noexcept;
  std::uint64_t system_calls() const { return system_calls_; }
  void count_system_call() { ++system_calls_; }

 private:
  struct Failure {
    StreamId stream;
    std::string reason;
  };

  TcpStream& add(Descriptor socket);
  TcpStream*& known(StreamId id) { return known_[id % known_.size()]; }
  void await_room(TcpStream& stream) { watch(stream, stream.interest | EPOLLOUT); }
  void begin_reading(TcpStream& stream) { watch(stream, EPOLLIN | EPOLLRDHUP); }

  const Settings settings_;
  Listeners listeners_;
  std::vector<std::uint32_t> addresses_;  // of the rails
  Descriptor reserve_;
  Descriptor epoll_;
  Events* events_ = nullptr;
  std::unordered_map<StreamId, std::unique_ptr<TcpStream>> streams_;
  std::array<TcpStream*, 64> known_{};  // some streams, each in the place that its number gives
  std::vector<std::unique_ptr<TcpStream>> graveyard_;
  std::vector<Failure> failed_;
  StreamId last_id_ = no_stream;
  std::int64_t look_ns_ = never_ns;
  std::uint64_t system_calls_ = 0;
};

}  // namespace suiro::net
