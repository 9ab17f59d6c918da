// SPDX-License-Identifier: BSD-3-Clause
// What a choice asks for beyond the model's word, all in one place. Beside each number is what
// shows that it is needed: the command whose ratios change with it, or the decision that has them.
#pragma once

#include <cstdint>

namespace suiro {

struct Margins {
  /// Slower than native by so much on any possible network is too much. Nobody notices less
  /// (docs/decisions/0028-what-is-not-known-is-a-set.md).
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
  /// docs/decisions/0028-what-is-not-known-is-a-set.md has both.
  double joining = 1.05;
  double starts_least = 0.05;

  /// Where processors have most to do, so much of native's work is too much, whatever the time: it
  /// is foretold to be less only since native waits, and then others may work. It is the model's
  /// doubt (docs/tuning.md), so reductions by messages, which are not tried (choose/trial.hpp),
  /// must work so much less. `suiro bench scan --lab 4x4-bridge --sizes 1M`: 0.62 of native, by
  /// twice its work; `suiro bench reduce_scatter --lab 4x4-bridge --mpi mpich --sizes 4M`: 0.70, by
  /// 0.96 of it.
  double work = 1.3;

  /// Where ranks outnumber processors and wait for each other's turns, the model is off by as much
  /// as this: reductions by messages, which are not tried, must be so much faster.
  /// `suiro bench scan --lab 4x16-bridge --sizes 8K,64K,256K`: 1.88, 0.99 and 0.81 of native, where
  /// it said 5.4, 1.2 and 2.0.
  double turns = 2.5;

  /// For each parameter with another value than the usual one, as the model cannot tell less.
  /// `suiro bench bcast --lab 4x16-bridge --sizes 1M`: a chain of nodes was chosen for 2 % less,
  /// and took native's time over 0.9; the tree takes it over 1.35.
  double departing = 1.1;

  /// What is tried in the job's calls (choose/trial.hpp) may be slower by so much on a possible
  /// network, and faster in the mean. It must wait until what the first round may lose, and all
  /// trials and predictions have cost, is at most this share of what calls have taken
  /// (choose/regret.hpp). Where nothing was tried yet it waits for a few calls at least, as the
  /// model may be wrong.
  double trial_loss = 1.5;

  /// What has beaten native is held against what may be slower than native by so much, too, as the
  /// model may be wrong of both. `tests/soak/wrong_model.py --keys bcast:65536`, where links are
  /// told to be ten times as fast: with 1.5, all calls take 1.12 times as long.
  double rival_loss = 3;
  double regret_share = 0.02;

  /// So much of what has been gained over native, up to half of its time, pays for trials of what
  /// may be faster still. `tests/choose/learning_test.cpp`: where messages are told to be ten times
  /// as dear, and the model is off of any algorithm, 200 calls of a reduce end at 1.29 times the
  /// best algorithm's time without it, and at 1.14; all take less.
  double gain_share = 0.1;
  int trial_calls_min = 20;

  /// Algorithms that are tried one after the other, at most. `suiro run --learn reductions` of an
  /// allreduce of 64 KiB in `4x4-hol`: `lanes`, 1.24 times as fast, is the fourth.
  int trials_max = 6;

  /// What has beaten native is held against others, until so many have lost, too.
  /// `tests/soak/wrong_model.py --lab 4x4-bridge`: without, a reduce of 64 KiB ends at 1.5 times
  /// the best algorithm's time where links are told to be a tenth as fast.
  int challenges_max = 8;

  /// What has won, and what has lost, is held against the other again after so many calls, and not
  /// before that costs at most this share of them: the machine may have changed
  /// (docs/learning.md).
  double again_calls_min = 1000;
  double again_share = 0.005;

  /// Moves of the model (model/play.hpp), of which each takes about `move_s`, that rank 0 may make
  /// in the one call that decides a reduction, and for one answer about what moves data.
  /// `suiro-schedule choose alltoall --nodes 4 --ppn 16 --sizes 1024 --mpi openmpi --release 4`
  /// needs a million.
  double move_s = 0.2e-6;
  std::int64_t moves_at_once = 250'000;
  std::int64_t moves_max = 4'000'000;

  /// The latter is worked on in calls that wait for it: so many seconds at first, then what may
  /// still be lost, and no more in one call. In calls that do not wait rank 0 would share its
  /// processor with them: `suiro bench bcast --lab 4x16-bridge --sizes 1M` had no answer after 200
  /// calls, and native ran, over which the algorithm that is foretold has 1.4.
  double work_first_s = 5e-3;
  double work_call_s = 25e-3;

  /// Messages of a schedule that is played: above, an answer takes longer than anyone would wait
  /// for it (docs/decisions/0025-the-model-chooses-what-no-rule-says.md).
  std::int64_t messages_max = 1 << 18;
};

inline constexpr Margins margins;

}  // namespace suiro
