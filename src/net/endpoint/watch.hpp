// SPDX-License-Identifier: BSD-3-Clause
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

}  // namespace suiro::net
