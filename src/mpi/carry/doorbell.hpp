// SPDX-License-Identifier: BSD-3-Clause
// How ranks of a node sleep in memory that they share, until one of them rings (futex(2)). Where
// ranks outnumber cores, one that looks again and again keeps others from theirs.
// docs/decisions/0031-what-a-node-costs.md
#pragma once

#include <atomic>
#include <cstdint>

namespace suiro::mpi {

/// Zeroed memory is one that nobody waits at. What is told by it may be numbered, so that nobody is
/// woken who waits for a later one. The first number is 1.
class Doorbell {
 public:
  /// Until somebody rings for this number or a later one, but no longer than a rank may go without
  /// MPI: false. `is_over` ends it also where that came about just before.
  template <class IsOver>
  bool sleep(std::uint64_t number, IsOver is_over) {
    const std::uint32_t heard = rings_.load();
    await(number);  // before the look; who rings looks here last
    return is_over() || sleep(heard);
  }

  /// Wakes all, if one of them awaits it. To be called after what they look for has been stored, in
  /// sequential order.
  void ring(std::uint64_t number) {
    const std::uint64_t awaited = awaited_.load();
    if (awaited != nothing && awaited <= number && awaited_.exchange(nothing) != nothing) wake();
  }

 private:
  static constexpr std::uint64_t nothing = 0;
  bool sleep(std::uint32_t heard);
  void await(std::uint64_t number);
  void wake();

  std::atomic<std::uint64_t> awaited_;  // the least number
  std::atomic<std::uint32_t> rings_;    // that somebody waited for
};

}  // namespace suiro::mpi
