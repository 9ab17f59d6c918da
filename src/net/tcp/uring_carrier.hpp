// SPDX-License-Identifier: BSD-3-Clause
// Streams over TCP by io_uring. While nobody polls, every stream has a receive in the kernel, armed
// by the helper thread: frames arrive in buffers of the ring, bulk where it is wanted, both while
// the application computes. While somebody polls, the few streams that bytes come from are read
// directly, since a receive of the helper's costs a switch to the helper; the others cost nothing.
#pragma once

#include <memory>
#include <vector>

#include "net/tcp/tcp_carrier.hpp"
#include "net/tcp/uring_ring.hpp"

namespace suiro::net {

struct UringStream : TcpStream {
  enum class Reading : std::uint8_t { idle, requested, in_kernel, direct };

  Reading reading = Reading::idle;
  bool exact = false;      // what is in the kernel writes into memory of the engine's
  bool stopping = false;   // it was cancelled, to be read directly
  bool watched = false;    // for room
  bool ended = false;      // by the peer
  bool has_given = false;  // in this poll
};

class UringCarrier : public TcpCarrier<UringStream> {
 public:
  /// Listens on the links. Throws std::runtime_error.
  UringCarrier(const Settings& settings, const std::vector<host::Link>& links);
  ~UringCarrier() override;

  void establish(StreamId stream, StreamKind kind) override;
  /// The receive is armed by help() or by nobody, if bytes are read directly. The grant need not
  /// wait for it: what comes before is kept by the socket.
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  bool poll(std::int64_t wait_ns) override;

  std::string_view description() const override { return "io_uring"; }
  int wait_descriptor() const override { return ring_.descriptor(); }
  bool prepare_sleep() override;
  bool wants_help() const override {
    // Who sleeps believes that the kernel reads everything: it must look again if that has changed.
    return has_failures() || !requests_.empty() || !completions_.empty() ||
           (asleep_ && !direct_.empty()) || ring_.has_unsubmitted();
  }
  void help() override;
  void abandon() noexcept override;
  std::uint64_t system_calls() const override { return system_calls_ + ring_.system_calls(); }

 private:
  using Stream = UringStream;
  using Reading = UringStream::Reading;

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
  void await_room(Stream& stream) override;
  void begin_reading(Stream& stream) override;
  void request_receive(Stream& stream);
  void submit_receive(Stream& stream);

  void collect();
  bool raise_completions();
  void handle(const UringRing::Completion& completion);
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

  UringRing ring_;
  std::vector<Request> requests_;
  std::vector<UringRing::Completion> completions_;  // taken from the ring, to be raised
  std::vector<StreamId> direct_;                    // streams that poll reads itself
  std::unique_ptr<std::byte[]> staging_;
  std::vector<StreamId> drained_;  // in this poll
  StreamId source_ = no_stream;    // of frames, in so many polls in a row:
  int streak_ = 0;
  bool asleep_ = false;  // somebody, since prepare_sleep
};

}  // namespace suiro::net
