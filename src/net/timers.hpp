// SPDX-License-Identifier: BSD-3-Clause
// One alarm of the carrier, shared by all who wait for a time.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "net/carrier.hpp"

namespace suiro::net {

constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();

/// Looks after things that depend on time. It is looked in at the time it asked for, or earlier.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void look(std::int64_t now_ns) = 0;
  bool waiting() const { return at_ns_ != never_ns; }

 private:
  friend class Timers;
  std::int64_t at_ns_ = never_ns;
};

class Timers {
 public:
  explicit Timers(Carrier& carrier) : carrier_(carrier) {}

  /// `watcher` must live as long as this does.
  void schedule(Watcher& watcher, std::int64_t at_ns) {
    if (at_ns >= watcher.at_ns_) return;
    watcher.at_ns_ = at_ns;
    entries_.push({at_ns, &watcher});
    set();
  }

  void run() {
    running_ = true;
    const std::int64_t now = carrier_.now_ns();
    while (!entries_.empty() && entries_.top().first <= now) {
      const auto [at, watcher] = entries_.top();
      entries_.pop();
      if (watcher->at_ns_ != at) continue;  // it asked for an earlier time since, and had it
      watcher->at_ns_ = never_ns;
      watcher->look(now);
    }
    running_ = false;
    set_ns_ = never_ns;
    set();
  }

 private:
  using Entry = std::pair<std::int64_t, Watcher*>;

  void set() {
    if (running_ || entries_.empty() || entries_.top().first >= set_ns_) return;
    set_ns_ = entries_.top().first;
    carrier_.set_alarm(set_ns_);
  }

  Carrier& carrier_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  std::int64_t set_ns_ = never_ns;
  bool running_ = false;
};

}  // namespace suiro::net
