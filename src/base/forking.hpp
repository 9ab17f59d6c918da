// SPDX-License-Identifier: BSD-3-Clause
// What a forked child must not use, and must not keep open either: a child that lives on would keep
// its parent's connections from ending.
#pragma once

namespace suiro {

class Forkable {
 public:
  virtual ~Forkable() = default;

  /// Around fork(), in the parent, and in the child after abandon().
  virtual void lock_for_fork() = 0;
  virtual void unlock_after_fork() = 0;
  /// In the child: closes descriptors; from now on, calls do nothing.
  virtual void abandon() noexcept = 0;
};

void enlist(Forkable& member);
void dismiss(Forkable& member);

}  // namespace suiro
