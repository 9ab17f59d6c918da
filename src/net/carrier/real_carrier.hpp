// SPDX-License-Identifier: BSD-3-Clause
// What an endpoint asks of a carrier beyond the protocol's seam: that threads can sleep, outside
// the endpoint's lock, until there is something to poll for. Unless said otherwise, functions are
// called under that lock.
#pragma once

#include <cstdint>

#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net {

class RealCarrier : public Carrier {
 public:
  /// Who hears the events; before the first call of open or poll.
  virtual void attach(Events& events) = 0;

  /// Raises what has happened, without waiting. Returns whether anything was raised.
  virtual bool poll() = 0;

  /// Readable, as poll(2) understands it, when poll() would raise something (an alarm apart), or
  /// soon after. Any number of threads may wait for it, without the lock. Never changes.
  virtual int wait_descriptor() const = 0;

  /// The time given to set_alarm, or never_ns: whoever sleeps on wait_descriptor wakes then.
  virtual std::int64_t alarm_ns() const = 0;

  /// The next poll is in vain only if there is nothing anywhere, not only where it is cheap to look
  /// and likely: for those to whom a poll in vain costs more than a system call.
  virtual void look_at_all() {}

  /// A thread is about to give the lock back and sleep on wait_descriptor: what looks for things
  /// only when polled (a ring in shared memory) asks to be told of them, until the next poll.
  /// False: there is something already, do not sleep. (Polls may end
  /// that, as they become cheaper where nobody needs to be told.)
  virtual bool prepare_sleep() { return true; }

  /// A call has failed at something, which the next poll tells. The endpoint asks after each of its
  /// calls, and wakes the helper: nobody else may poll.
  virtual bool has_failures() const { return false; }

  /// In a child after fork(): closes descriptors, so that the child keeps no connection of its
  /// parent open, and nothing else: no event, no byte to anybody. Nothing is called after it, not
  /// even the destructor.
  virtual void abandon() noexcept = 0;

  virtual std::uint64_t system_calls() const = 0;
};

}  // namespace suiro::net
