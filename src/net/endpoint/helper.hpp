// SPDX-License-Identifier: BSD-3-Clause
// The thread that keeps reading and writing while the application computes. It leaves the carrier
// alone as long as the application calls in, and looks from time to time whether it still does.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "net/endpoint/lookout.hpp"
#include "net/endpoint/stats_socket.hpp"
#include "net/endpoint/watch.hpp"

namespace suiro::net {

class Helper {
 public:
  /// `ranks_per_core`: how many such threads share a core. Questions are answered without the lock.
  Helper(Watch& watch, StatsSocket& questions, int ranks_per_core);
  ~Helper();

  /// Under the lock, after each call of the application and before its threads sleep: sees to it
  /// that the helper is awake when only it would do what comes next.
  void look_after();

  /// Under the lock, before a thread of the application polls: what arrives need not wake the
  /// helper for some time.
  void stand_aside() {
    if (lookout_.up()) lookout_.take_down(aside_ns_);
  }

  std::uint64_t wakeups() const { return wakeups_.load(std::memory_order_relaxed); }
  std::uint64_t took_over() const { return took_over_.load(std::memory_order_relaxed); }

  void abandon() noexcept {
    waker_.abandon();
    lookout_.abandon();
  }

 private:
  void run();
  void rest();
  void keep_watch();
  void wake_up();

  Watch& watch_;
  StatsSocket& questions_;
  const std::int64_t longest_rest_ns_;
  const std::int64_t aside_ns_;  // after which it looks again whether the application polls
  std::int64_t rest_ns_;
  std::uint64_t seen_calls_ = 0;
  int still_rests_ = 0;               // in which a waiting application did nothing
  bool rested_ = true;                // and has done nothing since
  bool deep_ = false;                 // rests until it is woken; under the lock
  std::int64_t sleeps_until_ns_ = 0;  // while it keeps watch, else 0; under the lock
  Waker waker_;
  Lookout lookout_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> wakeups_{0};
  std::atomic<std::uint64_t> took_over_{0};
  std::thread thread_;
};

}  // namespace suiro::net
