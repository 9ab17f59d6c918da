// SPDX-License-Identifier: BSD-3-Clause
// Streams in shared memory between two processes of one host and one user. Nothing here polls
// peers: each process has one doorbell, which says which streams have news. Bulk streams take bytes
// straight out of the writer's memory where the system allows it (pull.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "net/carrier/real_carrier.hpp"
#include "net/shared/streams.hpp"

namespace suiro::net {

class SharedCarrier : public RealCarrier {
 public:
  /// Whether a stream of this number is one of a carrier of this kind.
  static bool owns(StreamId stream) { return (stream & SharedStreams::marker) != 0; }

  /// Listens in the name of this process. Throws std::runtime_error in one line. Without
  /// `may_pull` every byte goes through a ring.
  explicit SharedCarrier(const Nonce& own, bool may_pull = true) : streams_(own, may_pull) {}

  std::int64_t now_ns() const override { return monotonic_ns(); }
  StreamId open(const Name& peer, const Route&) override { return streams_.open(peer.nonce); }
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override { alarm_ns_ = at_ns; }

  void attach(Events& events) override;
  /// Makes no system call if nothing has happened, but for one in many calls.
  bool poll() override;
  int wait_descriptor() const override { return streams_.wait_descriptor(); }
  std::int64_t alarm_ns() const override { return alarm_ns_; }
  bool prepare_sleep() override;
  void abandon() noexcept override { streams_.abandon(); }
  std::uint64_t system_calls() const override { return streams_.system_calls(); }

 private:
  bool raise_alarm();
  bool raise_taken();
  bool visit(SharedStream& stream);

  SharedStreams streams_;
  Events* events_ = nullptr;
  std::vector<StreamId> pulled_from_;  // whose last write the peer still takes
  std::vector<StreamId> visiting_;
  std::uint32_t polls_ = 0;
  std::int64_t alarm_ns_ = never_ns;
};

}  // namespace suiro::net
