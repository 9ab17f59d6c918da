// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/watch.hpp"

namespace suiro::net {

void Watch::changed() {
  if (waiting.load(std::memory_order_relaxed) == 0) return;
  if (guarded) waker.wake();
  others.notify_all();
}

}  // namespace suiro::net
