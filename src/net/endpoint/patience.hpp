// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace suiro::net {

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
