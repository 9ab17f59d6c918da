// SPDX-License-Identifier: BSD-3-Clause
// What the helper sleeps on while it keeps watch: the carrier, until a thread of the application
// polls that itself. Then what arrives need not wake the helper, which would take a core from some
// rank just when messages are exchanged; a timer wakes it, to see whether the application is still
// there. That costs two system calls, once for each time that the program computes.
#pragma once

#include <cstdint>

#include "base/descriptor.hpp"

namespace suiro::net {

/// Its functions are called under the endpoint's lock, but for descriptor().
class Lookout {
 public:
  /// `carrier`: a descriptor that poll(2) understands. Throws std::runtime_error.
  explicit Lookout(int carrier);

  /// Readable when the carrier is, if this is up, or when the time is over.
  int descriptor() const { return epoll_.number(); }

  bool up() const { return up_; }
  /// False: the system has no memory for it.
  bool set_up();
  void take_down(std::int64_t for_ns);

  /// In a child after fork().
  void abandon() noexcept;

 private:
  void set_timer(std::int64_t in_ns) const;

  int carrier_;
  Descriptor epoll_;
  Descriptor timer_;
  bool up_ = false;
};

}  // namespace suiro::net
