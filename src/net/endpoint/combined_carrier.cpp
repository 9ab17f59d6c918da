// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/combined_carrier.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "net/shared/carrier.hpp"

namespace suiro::net {

CombinedCarrier::CombinedCarrier(std::unique_ptr<RealCarrier> remote,
                                 std::unique_ptr<RealCarrier> local)
    : remote_(std::move(remote)), local_(std::move(local)), both_(epoll_create1(EPOLL_CLOEXEC)) {
  for (const int descriptor : {remote_->wait_descriptor(), local_->wait_descriptor()}) {
    epoll_event event{EPOLLIN, {}};
    if (!both_ || epoll_ctl(both_.number(), EPOLL_CTL_ADD, descriptor, &event) < 0)
      throw std::runtime_error(std::string("cannot use epoll: ") + std::strerror(errno));
  }
}

RealCarrier& CombinedCarrier::of(StreamId stream) {
  return SharedCarrier::owns(stream) ? *local_ : *remote_;
}

StreamId CombinedCarrier::open(const Name& peer, const Route& route) {
  return (route.shared_memory ? local_ : remote_)->open(peer, route);
}

void CombinedCarrier::establish(StreamId stream, StreamKind kind) {
  of(stream).establish(stream, kind);
}

std::size_t CombinedCarrier::write(StreamId stream, std::span<const iovec> bytes) {
  return of(stream).write(stream, bytes);
}

void CombinedCarrier::arm(StreamId stream) { of(stream).arm(stream); }

void CombinedCarrier::close(StreamId stream) { of(stream).close(stream); }

void CombinedCarrier::attach(Events& events) {
  remote_->attach(events);
  local_->attach(events);
}

bool CombinedCarrier::poll() {
  const bool raised = local_->poll();
  return remote_->poll() || raised;
}

bool CombinedCarrier::prepare_sleep() {
  const bool local_sleeps = local_->prepare_sleep();
  return remote_->prepare_sleep() && local_sleeps;
}

void CombinedCarrier::abandon() noexcept {
  remote_->abandon();
  local_->abandon();
  both_.close();
}

std::uint64_t CombinedCarrier::system_calls() const {
  return remote_->system_calls() + local_->system_calls();
}

}  // namespace suiro::net
