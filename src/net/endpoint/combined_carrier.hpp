// SPDX-License-Identifier: BSD-3-Clause
// Two carriers as one: shared memory for peers of this host, beside what reaches the others.
// Streams are told apart by their numbers.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "net/carrier/real_carrier.hpp"

namespace suiro::net {

class CombinedCarrier : public RealCarrier {
 public:
  /// Throws std::runtime_error.
  CombinedCarrier(std::unique_ptr<RealCarrier> remote, std::unique_ptr<RealCarrier> local);

  std::int64_t now_ns() const override { return remote_->now_ns(); }
  StreamId open(const Name& peer, const Route& route) override;
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override { remote_->set_alarm(at_ns); }
  bool poll() override;

  void attach(Events& events) override;
  int wait_descriptor() const override { return both_.number(); }
  std::int64_t alarm_ns() const override { return remote_->alarm_ns(); }
  void look_at_all() override { remote_->look_at_all(); }
  bool prepare_sleep() override;
  bool has_failures() const override { return remote_->has_failures(); }
  void abandon() noexcept override;
  std::uint64_t system_calls() const override;

 private:
  RealCarrier& of(StreamId stream);

  std::unique_ptr<RealCarrier> remote_;
  std::unique_ptr<RealCarrier> local_;
  Descriptor both_;  // an epoll descriptor of the two wait descriptors
};

}  // namespace suiro::net
