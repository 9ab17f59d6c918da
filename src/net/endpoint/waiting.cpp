// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.hpp"

namespace suiro::net {
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
  const std::int64_t until_ns = timeout_ns < 0 ? never_ns : now_ns + timeout_ns;
  std::int64_t idle_since_ns = now_ns;
  while (!condition(argument)) {
    watch.called();
    helper.stand_aside();
    const bool found = carrier.poll();
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

}  // namespace suiro::net
