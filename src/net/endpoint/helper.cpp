// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/helper.hpp"

#include <algorithm>
#include <utility>

#include "base/blocked_signals.hpp"

namespace suiro::net {
namespace {

constexpr std::int64_t shortest_rest_ns = 200'000;
constexpr std::int64_t longest_rest_ns = 1'000'000;  // of a rank that has its core alone
constexpr int still_rests_max = 8;                   // then it rests until it is woken

}  // namespace

Helper::Helper(Watch& watch, StatsSocket& questions, int ranks_per_core)
    : watch_(watch),
      questions_(questions),
      // The more others compute before it has the core again, the less it is worth to look soon,
      // and the more of them look.
      longest_rest_ns_(longest_rest_ns * std::max(1, ranks_per_core * ranks_per_core)),
      aside_ns_(longest_rest_ns * std::max(1, ranks_per_core)),
      rest_ns_(shortest_rest_ns),
      lookout_(watch.carrier.wait_descriptor()) {
  const BlockedSignals blocked;  // inherited by the thread
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "suiro-net");
}

Helper::~Helper() {
  stopping_ = true;
  waker_.wake();
  thread_.join();
}

void Helper::look_after() {
  RealCarrier& carrier = watch_.carrier;
  const bool left_alone = deep_ && watch_.waiting.load(std::memory_order_relaxed) == 0;
  const bool too_late = carrier.alarm_ns() < sleeps_until_ns_;
  if (!left_alone && !too_late && !carrier.has_failures()) return;
  deep_ = false;
  sleeps_until_ns_ = 0;
  waker_.wake();
}

void Helper::run() {
  wake_up();
  while (!stopping_) {
    const std::uint64_t calls = watch_.calls.load(std::memory_order_relaxed);
    const bool still = std::exchange(seen_calls_, calls) == calls;
    if (still && watch_.waiting == 0) {
      keep_watch();
      continue;
    }
    still_rests_ = still ? still_rests_ + 1 : 0;
    rest();
  }
}

/// The application runs the engine itself, or sleeps on the carrier itself.
void Helper::rest() {
  rested_ = true;
  std::int64_t time_ns = rest_ns_;
  rest_ns_ = std::min(rest_ns_ * 2, longest_rest_ns_);
  if (still_rests_ >= still_rests_max) {
    const std::scoped_lock lock(watch_.mutex);
    deep_ = watch_.waiting > 0;
    if (deep_) time_ns = -1;
  }
  const unsigned ready = sleep_on({waker_.descriptor(), questions_.descriptor()}, time_ns);
  if ((ready & 1) != 0) wake_up();
  if ((ready & 2) != 0) questions_.answer();
}

void Helper::wake_up() {
  waker_.clear();
  const std::scoped_lock lock(watch_.mutex);
  deep_ = false;
}

void Helper::keep_watch() {
  still_rests_ = 0;
  rest_ns_ = shortest_rest_ns;
  RealCarrier& carrier = watch_.carrier;
  std::int64_t time_ns = 0;
  {
    const std::scoped_lock lock(watch_.mutex);
    sleeps_until_ns_ = carrier.alarm_ns();
    const bool may_sleep = carrier.prepare_sleep();
    if (may_sleep) time_ns = time_until(sleeps_until_ns_, carrier.now_ns());
    if (!lookout_.set_up()) time_ns = shortest_rest_ns;
  }
  const unsigned ready =
      sleep_on({waker_.descriptor(), lookout_.descriptor(), questions_.descriptor()}, time_ns);
  wakeups_.fetch_add(1, std::memory_order_relaxed);
  if ((ready & 4) != 0) questions_.answer();
  if ((ready & 1) != 0) return wake_up();
  std::unique_lock lock(watch_.mutex, std::try_to_lock);
  if (!lock) return;  // the application is back
  sleeps_until_ns_ = 0;
  if (watch_.calls.load(std::memory_order_relaxed) != seen_calls_) return;
  // Once: what arrives meanwhile is better read when there is more of it.
  if (!carrier.poll()) return;
  if (std::exchange(rested_, false)) took_over_.fetch_add(1, std::memory_order_relaxed);
  watch_.changed();
}

}  // namespace suiro::net
