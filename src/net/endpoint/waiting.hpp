// SPDX-License-Identifier: BSD-3-Clause
// How the threads of an endpoint wait for its carrier. One that has nothing else to do sleeps on
// the carrier's descriptor, without the lock: a thread of the application if there is one in
// wait(), else the helper.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/sleep.hpp"
#include "net/carrier/real_carrier.hpp"

namespace suiro::net {

/// What the threads of an endpoint share.
struct Watch {
  explicit Watch(RealCarrier& watched) : carrier(watched) {}

  /// Under the lock, by a thread of the application: it is there, and runs the engine itself.
  void called() {
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Under the lock, by whoever may have made a condition true that another thread waits for.
  void changed();

  std::mutex mutex;
  RealCarrier& carrier;
  std::atomic<std::uint64_t> calls{0};  // by the application
  // Threads of the application that wait: one of them sleeps on the carrier and the waker, the
  // others until that one leaves or something has changed.
  std::atomic<int> waiting{0};
  bool guarded = false;
  bool spinning_pays = true;  // the last wait was over sooner than it takes to sleep
  Waker waker;
  std::condition_variable others;
};

class Helper;

/// Waits, as a thread of the application, until the condition, asked under the lock, is true.
/// False: the time is over (-1: no end). Spins for so long, after anything has happened, before it
/// sleeps, if that has paid lately.
bool wait_for(Watch& watch, Helper& helper, bool (*condition)(void*), void* argument,
              std::int64_t timeout_ns, std::int64_t spin_ns);

/// When a thread that polls in vain gives its core away, and for how long. Somebody who computes
/// between polls is not made to wait.
class Patience {
 public:
  /// `crowded`: more ranks than cores.
  explicit Patience(bool crowded) : crowded_(crowded) {}

  /// After a poll in vain: how long to sleep on the carrier now; 0: not at all.
  std::int64_t pause_ns(std::int64_t now_ns);
  /// After one that found something.
  void found() { last_ns_ = 0; }
  void slept(std::int64_t now_ns) { last_ns_ = now_ns; }
  bool crowded() const { return crowded_; }

 private:
  bool crowded_;
  int in_vain_ = 0;
  std::int64_t last_ns_ = 0;  // when the poll before ended
  std::int64_t pause_ns_ = 0;
};

}  // namespace suiro::net
