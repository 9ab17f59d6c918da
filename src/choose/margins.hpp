// SPDX-License-Identifier: BSD-3-Clause
// What a choice asks for beyond the model's word, all in one place. Beside each number is what
// shows that it is needed: the command whose ratios change with it, or the decision that has them.
#pragma once

#include <cstdint>

namespace suiro {

struct Margins {
  /// Slower than native by so much on any possible network is too much. Nobody notices less.
  /// `suiro bench all --lab 4x4-voq --sizes 4K,64K,1M`: its verdict is by the same number.
  double tolerance = 1.02;

  /// So much faster on each network, in the geometric mean; and on every one where what the MPI
  /// runs is not in the books. `suiro bench bcast --lab 4x4-bridge --mpi mpich --sizes 256K`: 0.63
  /// of native without the latter.
  double gain_min = 1.05;

  /// One kind of network alone does not decide for all. `suiro-schedule choose bcast --nodes 4
  /// --ppn 4 --mpi openmpi --release 4`: on a switch that loses, gains of 100 are foretold.
  double gain_max = 2;

  /// What copies blocks to join them, in memory of its own, gains so much more on each network; it
  /// is for the starts of messages, and left out where they are less of the time than that.
  /// `suiro bench alltoall --lab 4x4-bridge --sizes 16K`: 0.65 of native without.
  double joining = 1.05;
  double starts_least = 0.05;

  /// For each parameter with another value than the usual one, as the model cannot tell less.
  /// `suiro bench bcast --lab 4x16-bridge --sizes 1M`: a chain of nodes was chosen for 2 % less,
  /// and took native's time over 0.9, the tree over 1.2.
  double departing = 1.1;

  /// Messages of a schedule that is played: above, an answer takes longer than anyone would wait
  /// for it. `suiro-schedule choose alltoall --nodes 32 --ppn 16`.
  std::int64_t messages_max = 1 << 18;
};

inline constexpr Margins margins;

}  // namespace suiro
