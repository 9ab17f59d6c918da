// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/combined_carrier.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "net/shared/carrier.hpp"

namespace suiro::net {
namespace {

constexpr std::int64_t longest_ns = 5'000;
constexpr std::uint32_t local_news_max = 16;  // then what is remote has its turn

}  // namespace

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

/// To ask for what is remote costs a system call, to ask for what is local does not: after news
/// from here, more is expected from here first.
bool CombinedCarrier::poll() {
  const bool raised = local_->poll();
  if (raised) {
    local_polls_ = std::min(local_polls_ + 1, local_polls_max);
    polls_since_ = 0;
    if (++local_news_ % local_news_max == 0) look_at_both_ = true;
  }
  if (!look_at_both_ && !look_at_all_ && is_too_soon()) return raised;
  look_at_both_ = look_at_all_ = false;
  if (!remote_->poll()) return raised;
  local_polls_ = local_polls_min;
  polls_since_ = local_polls_max;
  return true;
}

/// A few polls cost nothing; for the others the clock is asked as well, since a program may compute
/// between two.
bool CombinedCarrier::is_too_soon() {
  if (polls_since_ >= local_polls_) return false;
  if (++polls_since_ <= local_polls_min) return true;
  const std::int64_t now = now_ns();
  if (polls_since_ == local_polls_min + 1) until_ns_ = now + longest_ns;
  return now < until_ns_;
}

void CombinedCarrier::look_at_all() {
  look_at_all_ = true;
  remote_->look_at_all();
}

bool CombinedCarrier::prepare_sleep() {
  look_at_both_ = true;
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
