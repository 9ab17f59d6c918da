// SPDX-License-Identifier: BSD-3-Clause
#include "base/sleep.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "base/clock.hpp"
#include "base/sockets.hpp"

namespace suiro {
namespace {

constexpr std::size_t descriptors_max = 3;  // of one sleep

}  // namespace

Waker::Waker() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::runtime_error("cannot make an eventfd: " + stream_error(errno));
}

void Waker::wake() const { (void)eventfd_write(event_.number(), 1); }

void Waker::clear() const {
  eventfd_t count = 0;
  (void)eventfd_read(event_.number(), &count);
}

unsigned sleep_on(std::initializer_list<int> descriptors, std::int64_t nanoseconds) {
  std::array<pollfd, descriptors_max> polled{};
  std::transform(descriptors.begin(), descriptors.end(), polled.begin(), [](int descriptor) {
    return pollfd{descriptor, POLLIN, 0};
  });
  const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  const timespec* const limit = nanoseconds < 0 ? nullptr : &time;
  if (ppoll(polled.data(), descriptors.size(), limit, nullptr) <= 0) return 0;
  unsigned ready = 0;
  for (std::size_t i = 0; i < descriptors.size(); ++i)
    if (polled[i].revents != 0) ready |= 1U << i;
  return ready;
}

std::int64_t time_until(std::int64_t at_ns, std::int64_t now_ns) {
  return at_ns == never_ns ? -1 : std::max<std::int64_t>(0, at_ns - now_ns);
}

}  // namespace suiro
