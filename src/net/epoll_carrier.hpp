// SPDX-License-Identifier: BSD-3-Clause
// Streams over TCP, told of by epoll. The cost of a message does not depend on how many connections
// there are, and a program that polls again and again mostly pays for one recv of the stream where
// the last bytes came from: epoll is asked only now and then.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/real_carrier.hpp"
#include "net/tcp.hpp"

namespace suiro::net {

class EpollCarrier : public RealCarrier {
 public:
  /// Listens on the links. Throws std::runtime_error.
  EpollCarrier(const Settings& settings, const std::vector<Link>& links);
  ~EpollCarrier() override;

  std::uint16_t port() const { return listeners_.port; }

  std::int64_t now_ns() const override;
  StreamId open(const Name& peer, const Route& route) override;
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override { alarm_ns_ = at_ns; }
  bool poll(std::int64_t wait_ns) override;

  void attach(Events& events) override { events_ = &events; }
  std::string_view description() const override { return "epoll"; }
  int wait_descriptor() const override { return epoll_.number(); }
  std::int64_t alarm_ns() const override { return alarm_ns_; }
  bool prepare_sleep() override;
  void abandon() noexcept override;
  std::uint64_t system_calls() const override { return system_calls_; }

 private:
  struct Stream;

  struct Failure {
    StreamId stream;
    std::string reason;
  };

  Stream* find(StreamId id);
  Stream& add(Descriptor socket);
  void watch(Stream& stream, std::uint32_t interest);
  void end(Stream& stream, const std::string& reason);
  void set_low_mark(Stream& stream, std::size_t wanted);

  bool raise_failures();
  bool raise_alarm();
  bool poll_hot();
  bool poll_all();
  void sleep(std::int64_t wait_ns);
  void accept_all(std::uint8_t rail);
  bool handle(Stream& stream, std::uint32_t happened);
  void connected(Stream& stream);
  static bool is_bulk(const Stream& stream);
  bool read(Stream& stream);
  bool read_control(Stream& stream);
  bool read_bulk(Stream& stream);
  std::ptrdiff_t receive(Stream& stream, std::span<iovec> parts);
  bool is_hot(StreamId id) const { return hot_[0] == id || hot_[1] == id; }

  Settings settings_;
  std::vector<std::uint32_t> addresses_;  // of the rails
  Listeners listeners_;
  Descriptor reserve_;
  Descriptor epoll_;
  Events* events_ = nullptr;
  std::unordered_map<StreamId, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Stream>> graveyard_;  // closed, perhaps by an event of their own
  std::vector<Failure> failed_;                     // to be told of by poll
  std::array<StreamId, 2>
      hot_{};  // where bytes came from last: of control streams, of bulk streams
  std::unique_ptr<std::byte[]> staging_;
  StreamId last_id_ = no_stream;
  std::int64_t alarm_ns_ = no_alarm;
  bool look_at_all_ = true;       // in the next poll
  std::uint32_t polls_left_ = 0;  // of hot streams alone, until epoll is asked again
  std::uint32_t trust_ = 0;       // how many such polls have proved to pay
  std::uint64_t system_calls_ = 0;
};

}  // namespace suiro::net
