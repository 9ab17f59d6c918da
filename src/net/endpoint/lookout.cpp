// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/lookout.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <stdexcept>

#include "base/sockets.hpp"

namespace suiro::net {

Lookout::Lookout(int carrier)
    : carrier_(carrier),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  epoll_event event{EPOLLIN, {}};
  if (!epoll_ || !timer_ || epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, timer_.number(), &event) != 0)
    throw std::runtime_error("cannot use epoll with a timer: " + stream_error(errno));
}

bool Lookout::set_up() {
  if (up_) return true;
  set_timer(0);
  epoll_event event{EPOLLIN, {}};
  up_ = epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, carrier_, &event) == 0;
  return up_;
}

void Lookout::take_down(std::int64_t for_ns) {
  up_ = false;
  (void)epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, carrier_, nullptr);
  set_timer(for_ns);
}

/// 0: never.
void Lookout::set_timer(std::int64_t in_ns) const {
  itimerspec time{};
  time.it_value.tv_sec = in_ns / 1'000'000'000;
  time.it_value.tv_nsec = in_ns % 1'000'000'000;
  (void)timerfd_settime(timer_.number(), 0, &time, nullptr);
}

void Lookout::abandon() noexcept {
  epoll_.close();
  timer_.close();
}

}  // namespace suiro::net
