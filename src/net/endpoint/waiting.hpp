// SPDX-License-Identifier: BSD-3-Clause
// How the threads of an endpoint wait for its carrier. One that has nothing else to do sleeps on
// the carrier's descriptor, without the lock: a thread of the application if there is one in
// wait(), else the helper.
#pragma once

#include <cstdint>

#include "net/endpoint/helper.hpp"
#include "net/endpoint/watch.hpp"

namespace suiro::net {

/// Waits, as a thread of the application, until the condition, asked under the lock, is true.
/// False: the time is over (-1: no end). Spins for so long, after anything has happened, before it
/// sleeps, if that has paid lately.
bool wait_for(Watch& watch, Helper& helper, bool (*condition)(void*), void* argument,
              std::int64_t timeout_ns, std::int64_t spin_ns);

}  // namespace suiro::net
