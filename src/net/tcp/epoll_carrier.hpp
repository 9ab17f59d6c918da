// SPDX-License-Identifier: BSD-3-Clause
// Streams over TCP, told of by epoll. The cost of a message does not depend on how many connections
// there are, and a program that polls again and again mostly pays for one recv of the stream where
// the last bytes came from: epoll is asked only now and then.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "net/tcp/tcp_carrier.hpp"

namespace suiro::net {

struct EpollStream : TcpStream {
  std::uint32_t interest = 0;  // what epoll tells of
  std::size_t low_mark = 1;
};

class EpollCarrier : public TcpCarrier<EpollStream> {
 public:
  /// Listens on the links. Throws std::runtime_error.
  EpollCarrier(const Settings& settings, const std::vector<host::Link>& links);
  ~EpollCarrier() override;

  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  bool poll() override;

  int wait_descriptor() const override { return epoll_.number(); }
  void look_at_all() override { look_at_all_ = true; }
  bool prepare_sleep() override;
  void abandon() noexcept override;

 private:
  using Stream = EpollStream;

  void await_room(Stream& stream) override;
  void begin_reading(Stream& stream) override;
  void watch(Stream& stream, std::uint32_t interest);
  void set_low_mark(Stream& stream, std::size_t wanted);
  void quiet(Stream& stream);
  void hear_quiet();

  bool poll_hot();
  bool poll_all();
  bool handle(Stream& stream, std::uint32_t happened);
  bool read(Stream& stream);
  bool read_control(Stream& stream);
  bool read_bulk(Stream& stream);
  std::ptrdiff_t receive(Stream& stream, std::span<iovec> parts);
  bool is_hot(StreamId id) const { return hot_[0] == id || hot_[1] == id; }

  Descriptor epoll_;
  std::array<StreamId, 2> hot_{};  // where bytes came from last: of frames, of bulk
  StreamId quiet_ = no_stream;     // a hot one that epoll does not tell of meanwhile
  std::unique_ptr<std::byte[]> staging_;
  bool look_at_all_ = true;       // in the next poll
  std::uint32_t polls_left_ = 0;  // of hot streams alone, until epoll is asked again
  std::uint32_t trust_ = 0;       // how many such polls have proved to pay
  std::uint32_t streak_ = 0;      // hot polls that found something, since prepare_sleep
};

}  // namespace suiro::net
