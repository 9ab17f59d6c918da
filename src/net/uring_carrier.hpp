// SPDX-License-Identifier: BSD-3-Clause
// Streams over TCP by io_uring. While nobody polls, every stream has a receive in the kernel, armed
// by the helper thread: frames arrive in buffers of the ring, bulk where it is wanted, both while
// the application computes. While somebody polls, the few streams that bytes come from are read
// directly, since a receive of the helper's costs a switch to the helper; the others cost nothing.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/real_carrier.hpp"
#include "net/tcp.hpp"
#include "net/uring_ring.hpp"

namespace suiro::net {

class UringCarrier : public RealCarrier {
 public:
  /// Listens on the links. Throws std::runtime_error.
  UringCarrier(const Settings& settings, const std::vector<Link>& links);
  ~UringCarrier() override;

  std::uint16_t port() const { return listeners_.port; }

  std::int64_t now_ns() const override;
  StreamId open(const Name& peer, const Route& route) override;
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;
  /// The receive is armed by help() or by nobody, if bytes are read directly. The grant need not
  /// wait for it: what comes before is kept by the socket.
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override { alarm_ns_ = at_ns; }
  bool poll(std::int64_t wait_ns) override;

  void attach(Events& events) override { events_ = &events; }
  std::string_view description() const override { return "io_uring"; }
  int wait_descriptor() const override { return ring_.descriptor(); }
  std::int64_t alarm_ns() const override { return alarm_ns_; }
  bool prepare_sleep() override;
  bool wants_help() const override {
    // Who sleeps believes that the kernel reads everything: it must look again if that has changed.
    return !requests_.empty() || !completions_.empty() || (asleep_ && !direct_.empty()) ||
           ring_.has_unsubmitted();
  }
  void help() override;
  void abandon() noexcept override;
  std::uint64_t system_calls() const override { return system_calls_ + ring_.system_calls(); }

 private:
  struct Stream {
    enum class Stage : std::uint8_t { connecting, opening, established };
    enum class Reading : std::uint8_t { idle, requested, in_kernel, direct };

    bool is_bulk() const { return stage == Stage::established && kind == StreamKind::bulk; }

    StreamId id = no_stream;
    Descriptor socket;
    Stage stage = Stage::opening;
    StreamKind kind = StreamKind::control;
    Reading reading = Reading::idle;
    bool exact = false;      // what is in the kernel writes into memory of the engine's
    bool stopping = false;   // it was cancelled, to be read directly
    bool watched = false;    // for room
    bool blocked = false;    // a write took less than all
    bool ended = false;      // by the peer
    bool closed = false;     // only waits to be deleted
    bool has_given = false;  // in this poll
  };

  static constexpr std::size_t staging_bytes = 16 << 10;

  enum class Operation : std::uint8_t {
    receive,
    watch,
    watch_end,
    listen,
    cancel_watch,
    cancel_receive
  };
  /// What the helper is to submit.
  struct Request {
    Operation operation;
    StreamId stream;  // listen: the rail
  };
  struct Failure {
    StreamId stream;
    std::string reason;
  };

  Stream* find(StreamId id);
  Stream& add(Descriptor socket);
  void end(Stream& stream, const std::string& reason);

  void request_receive(Stream& stream);
  void request_watch(Stream& stream);
  void submit_receive(Stream& stream);

  void collect();
  bool raise_failures();
  bool raise_alarm();
  bool raise_completions();
  void handle(const UringRing::Completion& completion);
  void accept_all(std::uint8_t rail);
  void became_writable(Stream& stream);
  void has_received(Stream& stream, const UringRing::Completion& completion);
  void receive_is_over(Stream& stream, int result);
  void has_ended(Stream& stream);
  void give(Stream& stream, std::span<const std::byte> bytes);
  void note_given(Stream& stream);
  void raise_drained();

  void follow(Stream& stream);
  void read_from_now_on(Stream& stream);
  void stop_reading(std::size_t place);
  bool read_directly();
  bool read_directly(Stream& stream);

  Settings settings_;
  std::vector<std::uint32_t> addresses_;  // of the rails
  Listeners listeners_;
  Descriptor reserve_;
  UringRing ring_;
  Events* events_ = nullptr;
  std::unordered_map<StreamId, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Stream>> graveyard_;  // closed, perhaps by an event of their own
  std::vector<Failure> failed_;                     // to be told by poll
  std::vector<Request> requests_;
  std::vector<UringRing::Completion> completions_;  // taken from the ring, to be raised
  std::vector<StreamId> direct_;                    // streams that poll reads itself
  std::unique_ptr<std::byte[]> staging_;
  StreamId last_id_ = no_stream;
  std::vector<StreamId> drained_;  // in this poll
  StreamId source_ = no_stream;    // of frames, in so many polls in a row:
  int streak_ = 0;
  std::int64_t alarm_ns_ = no_alarm;
  bool asleep_ = false;  // somebody, since prepare_sleep
  std::uint64_t system_calls_ = 0;
};

}  // namespace suiro::net
