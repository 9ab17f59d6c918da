// SPDX-License-Identifier: BSD-3-Clause
// What was predicted is held against native in the program's own calls.
#include <cstdio>
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/job.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

/// Ranks come to a call at different times, and who waits for others counts that, too. Where all
/// wait for all, the last one to come does not wait. Elsewhere ranks leave early or late, and what
/// counts is how long all of them were there.
MPI_Op put_together(const Collective& collective) { return collective.rooted ? MPI_SUM : MPI_MIN; }

}  // namespace

/// Who runs this call.
Choice& Communicator::turn_in_trial(const Collective& collective, Plan& plan, Choice& choice) {
  judge_when_told(collective, plan, choice);
  if (!choice.in_trial) return choice;
  plan.timed = &choice;
  const Trial::Side side = choice.in_trial->trial.begin_call();
  return side == Trial::Side::native && !choice.native ? plan.natives_turn : choice;
}

/// Times are put together from the call after a round to the one after that.
void Communicator::judge_when_told(const Collective& collective, Plan& plan, Choice& choice) {
  auto& [trial, times] = *choice.in_trial;
  if (!trial.is_over() || spoiled_code_ != MPI_SUCCESS) return;
  if (trial.calls_since() == 0) {
    if (!times.is_open())
      spoiled_code_ = times.start(trial.times(), put_together(collective), user_);
    return;
  }
  spoiled_code_ = times.finish(job.waiting);
  if (spoiled_code_ != MPI_SUCCESS) return;
  trial.judge(times.of_all());
  if (trial.verdict()) conclude(plan, choice);
}

void Communicator::conclude(Plan& plan, Choice& choice) {
  const Trial& trial = choice.in_trial->trial;
  char text[64];
  std::snprintf(text, sizeof text, "; tried: %.2f times as fast", trial.ratio());
  choice.reason += text;
  if (trial.verdict() == Trial::Side::native) {
    choice.native = true;
    choice.algorithm = native_algorithm;
    choice.kept.clear();
  }
  choice.in_trial.reset();
  leave_small_untouched(plan);
}

void Communicator::note_time(const Collective& collective, double seconds) {
  Choice* const timed = std::exchange(plan_of(collective).timed, nullptr);
  if (timed == nullptr) return;
  timed->in_trial->trial.end_call(static_cast<std::int64_t>(1e9 * seconds));
}

}  // namespace suiro::mpi
