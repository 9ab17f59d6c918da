// SPDX-License-Identifier: BSD-3-Clause
// A TAP device: the cable between a host's network namespace and the switch.
#pragma once

#include <stdexcept>
#include <string>

namespace suiro {

/// The operating system, or what it was asked for, does not allow the switch to run.
struct SwitchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Creates the device in this network namespace; it may be moved to another, the descriptor stays
/// its other end. Reads do not block, frames carry an OffloadHeader, and the host may hand over
/// super-frames without checksums.
Descriptor open_tap(const std::string& name);

}  // namespace suiro
