// SPDX-License-Identifier: BSD-3-Clause
// One alarm of the carrier, shared by all who wait for a time.
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "net/carrier/carrier.hpp"

namespace suiro::net {

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
    entries_.push({at_ns, order_++, &watcher});
    set();
  }

  void run() {
    running_ = true;
    const std::int64_t now = carrier_.now_ns();
    while (!entries_.empty() && entries_.top().at_ns <= now) {
      const Entry entry = entries_.top();
      entries_.pop();
      // If not, it asked for an earlier time since, and had it.
      if (entry.watcher->at_ns_ != entry.at_ns) continue;
      entry.watcher->at_ns_ = never_ns;
      entry.watcher->look(now);
    }
    running_ = false;
    set_ns_ = never_ns;
    set();
  }

 private:
  /// Of two at one time the first to ask comes first, so that a seed says all that happens.
  struct Entry {
    std::int64_t at_ns;
    std::uint64_t order;
    Watcher* watcher;
    bool operator>(const Entry& other) const {
      return std::tie(at_ns, order) > std::tie(other.at_ns, other.order);
    }
  };

  void set() {
    if (running_ || entries_.empty() || entries_.top().at_ns >= set_ns_) return;
    set_ns_ = entries_.top().at_ns;
    carrier_.set_alarm(set_ns_);
  }

  Carrier& carrier_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  std::uint64_t order_ = 0;
  std::int64_t set_ns_ = never_ns;
  bool running_ = false;
};

}  // namespace suiro::net
