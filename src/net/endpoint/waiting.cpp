// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/waiting.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "net/endpoint/helper.hpp"
#include "net/tcp/sockets.hpp"

namespace suiro::net {
namespace {

constexpr std::size_t descriptors_max = 3;  // of one sleep
constexpr int polls_in_vain_max = 8;
constexpr std::int64_t shortest_nap_ns = 20'000;
constexpr std::int64_t longest_nap_ns = 250'000;
constexpr std::int64_t computes_from_ns = 10'000;  // between two polls

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
  return at_ns == no_alarm ? -1 : std::max<std::int64_t>(0, at_ns - now_ns);
}

void Watch::changed() {
  if (waiting.load(std::memory_order_relaxed) == 0) return;
  if (guarded) waker.wake();
  others.notify_all();
}

namespace {

/// Counts a thread among those that wait.
class Waiting {
 public:
  Waiting(Watch& watch, Helper& helper) : watch_(watch), helper_(helper) { ++watch_.waiting; }
  ~Waiting() {
    --watch_.waiting;
    watch_.others.notify_one();  // that one guards the carrier from now on
    helper_.look_after();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Watch& watch_;
  Helper& helper_;
};

/// Sleeps until something may have changed.
void sleep_without(std::unique_lock<std::mutex>& lock, Watch& watch, Helper& helper,
                   std::int64_t until_ns) {
  RealCarrier& carrier = watch.carrier;
  if (watch.guarded) {
    const std::int64_t time_ns = time_until(until_ns, carrier.now_ns());
    if (time_ns < 0)
      watch.others.wait(lock);
    else
      watch.others.wait_for(lock, std::chrono::nanoseconds(time_ns));
    return;
  }
  if (!carrier.prepare_sleep()) return;
  until_ns = std::min(until_ns, carrier.alarm_ns());
  helper.look_after();
  watch.guarded = true;
  lock.unlock();
  const unsigned ready = sleep_on({carrier.wait_descriptor(), watch.waker.descriptor()},
                                  time_until(until_ns, carrier.now_ns()));
  lock.lock();
  watch.guarded = false;
  if ((ready & 2) != 0) watch.waker.clear();
}

}  // namespace

bool wait_for(Watch& watch, Helper& helper, bool (*condition)(void*), void* argument,
              std::int64_t timeout_ns, std::int64_t spin_ns) {
  RealCarrier& carrier = watch.carrier;
  std::unique_lock lock(watch.mutex);
  const Waiting waiting(watch, helper);
  std::int64_t now_ns = carrier.now_ns();
  const std::int64_t until_ns = timeout_ns < 0 ? no_alarm : now_ns + timeout_ns;
  std::int64_t idle_since_ns = now_ns;
  while (!condition(argument)) {
    watch.called();
    helper.stand_aside();
    const bool found = carrier.poll(0);
    now_ns = carrier.now_ns();
    if (found) {
      watch.changed();
      watch.spinning_pays = now_ns - idle_since_ns < spin_ns;
      idle_since_ns = now_ns;
    } else if (now_ns >= until_ns) {
      return condition(argument);
    } else if (!watch.spinning_pays || now_ns - idle_since_ns >= spin_ns) {
      sleep_without(lock, watch, helper, until_ns);
    } else {
      lock.unlock();  // others may want it
      lock.lock();
    }
  }
  return true;
}

std::int64_t Patience::pause_ns(std::int64_t now_ns) {
  if (now_ns - std::exchange(last_ns_, now_ns) > computes_from_ns) {
    in_vain_ = 0;
    pause_ns_ = shortest_nap_ns;
    return 0;
  }
  if (++in_vain_ < polls_in_vain_max) return 0;
  return std::exchange(pause_ns_, std::min(pause_ns_ * 2, longest_nap_ns));
}

}  // namespace suiro::net
