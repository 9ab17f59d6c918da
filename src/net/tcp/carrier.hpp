// SPDX-License-Identifier: BSD-3-Clause
// Streams over TCP, told of by epoll. The cost of a message does not depend on how many connections
// there are, and a program that polls again and again mostly pays for one recv of the stream where
// the last bytes came from: epoll is asked only now and then.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "net/carrier/real_carrier.hpp"
#include "net/tcp/streams.hpp"

namespace suiro::net {

class TcpCarrier : public RealCarrier {
 public:
  /// Listens on the links. Throws std::runtime_error.
  TcpCarrier(const Settings& settings, const std::vector<host::Link>& links);

  std::uint16_t port() const { return streams_.port(); }

  std::int64_t now_ns() const override { return monotonic_ns(); }
  StreamId open(const Name& peer, const Route& route) override {
    return streams_.open(peer, route);
  }
  void establish(StreamId stream, StreamKind kind) override { streams_.establish(stream, kind); }
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override {
    return streams_.write(stream, bytes);
  }
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override { alarm_ns_ = at_ns; }

  void attach(Events& events) override;
  bool poll() override;
  int wait_descriptor() const override { return streams_.epoll(); }
  std::int64_t alarm_ns() const override { return std::min(alarm_ns_, streams_.look_ns()); }
  void look_at_all() override { look_at_all_ = true; }
  bool prepare_sleep() override;
  bool has_failures() const override { return streams_.has_failures(); }
  void abandon() noexcept override { streams_.abandon(); }
  std::uint64_t system_calls() const override { return streams_.system_calls(); }

 private:
  void set_low_mark(TcpStream& stream, std::size_t wanted);
  void quiet(TcpStream& stream);
  void hear_quiet();
  bool raise_alarm();

  bool poll_hot();
  bool poll_all();
  bool handle(TcpStream& stream, std::uint32_t happened);
  bool read(TcpStream& stream);
  bool read_control(TcpStream& stream);
  bool read_bulk(TcpStream& stream);
  std::ptrdiff_t receive(TcpStream& stream, std::span<iovec> parts);
  bool is_hot(StreamId id) const { return hot_[0] == id || hot_[1] == id; }

  TcpStreams streams_;
  Events* events_ = nullptr;
  std::int64_t alarm_ns_ = never_ns;
  std::array<StreamId, 2> hot_{};  // where bytes came from last: of frames, of bulk
  StreamId quiet_ = no_stream;     // a hot one that epoll does not tell of meanwhile
  std::unique_ptr<std::byte[]> staging_;
  bool look_at_all_ = true;       // in the next poll
  std::uint32_t polls_left_ = 0;  // of hot streams alone, until epoll is asked again
  std::uint32_t trust_ = 0;       // how many such polls have proved to pay
  std::uint32_t streak_ = 0;      // hot polls that found something, since prepare_sleep
};

}  // namespace suiro::net
