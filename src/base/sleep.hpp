// SPDX-License-Identifier: BSD-3-Clause
// How a thread sleeps until one of several things happens.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/descriptor.hpp"

namespace suiro {

/// Wakes a thread that sleeps on its descriptor, now or later.
class Waker {
 public:
  /// Throws std::runtime_error.
  Waker();
  void wake() const;
  void clear() const;
  int descriptor() const { return event_.number(); }
  void abandon() noexcept { event_.close(); }

 private:
  Descriptor event_;
};

/// Sleeps until a descriptor is readable, at most so long (-1: no end). Bit i tells whether the
/// i-th is; none if the time is over, or a signal came.
unsigned sleep_on(std::initializer_list<int> descriptors, std::int64_t nanoseconds);

/// How long from now until then; -1 for never_ns.
std::int64_t time_until(std::int64_t at_ns, std::int64_t now_ns);

}  // namespace suiro
