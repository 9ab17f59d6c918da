// SPDX-License-Identifier: BSD-3-Clause
// How ranks of a node sleep in memory that they share, until one of them rings (futex(2)). Where
// ranks outnumber cores, one that looks again and again keeps others from theirs.
// docs/decisions/0031-what-a-node-costs.md
#pragma once

#include <atomic>
#include <cstdint>

namespace suiro::mpi {

/// Zeroed memory is one that nobody waits at.
class Doorbell {
 public:
  /// Until somebody rings, but no longer than a rank may go without MPI: false. `is_over` ends it
  /// also where that came about just before.
  template <class IsOver>
  bool sleep(IsOver is_over) {
    const std::uint32_t heard = rings_.load();
    awaited_.store(1);  // before the look; who rings looks here last
    return is_over() || sleep(heard);
  }

  /// Wakes all. To be called after what they look for has been stored, in sequential order.
  void ring() {
    if (awaited_.load() != 0 && awaited_.exchange(0) != 0) wake();
  }

 private:
  bool sleep(std::uint32_t heard);
  void wake();

  std::atomic<std::uint32_t> rings_;    // that somebody waited for
  std::atomic<std::uint32_t> awaited_;  // 1: somebody waits, or did
};

}  // namespace suiro::mpi
