// SPDX-License-Identifier: BSD-3-Clause
// How an endpoint's thread that has nothing else to do waits for a carrier.
#pragma once

#include <algorithm>

#include "base/clock.hpp"
#include "base/sleep.hpp"
#include "net/carrier/real_carrier.hpp"

namespace suiro::net {

/// Polls, and if that is in vain once more after something has come, the alarm's time, or so long.
inline bool poll_within(RealCarrier& carrier, std::int64_t wait_ns) {
  if (carrier.poll()) return true;
  if (carrier.prepare_sleep()) {
    const std::int64_t alarm_ns = time_until(carrier.alarm_ns(), carrier.now_ns());
    sleep_on({carrier.wait_descriptor()}, alarm_ns < 0 ? wait_ns : std::min(wait_ns, alarm_ns));
  }
  return carrier.poll();
}

}  // namespace suiro::net
