// SPDX-License-Identifier: BSD-3-Clause
// Streams in shared memory between two processes of one host and one user. Nothing here polls
// peers: each process has one doorbell, which says which streams have news. Bulk streams take bytes
// straight out of the writer's memory where the system allows it (pull.hpp).
#pragma once

#include <memory>

#include "net/carrier/real_carrier.hpp"

namespace suiro::net {

class SharedCarrier : public RealCarrier {
 public:
  /// Numbers of these streams have this bit, those of other carriers have not.
  static constexpr StreamId marker = StreamId{1} << 31;
  static bool owns(StreamId stream) { return (stream & marker) != 0; }

  /// Listens in the name of this process. Throws std::runtime_error in one line. Without
  /// `may_pull` every byte goes through a ring.
  explicit SharedCarrier(const Nonce& own, bool may_pull = true);
  ~SharedCarrier() override;

  std::int64_t now_ns() const override;
  StreamId open(const Name& peer, const Route& route) override;
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override;
  /// Makes no system call if nothing has happened, but for one in many calls.
  bool poll() override;

  void attach(Events& events) override;
  int wait_descriptor() const override;
  std::int64_t alarm_ns() const override;
  bool prepare_sleep() override;
  void abandon() noexcept override;
  std::uint64_t system_calls() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suiro::net
