// SPDX-License-Identifier: BSD-3-Clause
// What was predicted is held against native in the program's own calls.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "mpi/decide/communicator.hpp"
#include "mpi/job/job.hpp"
#include "mpi/job/lessons.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

/// In place of what an earlier trial has shown.
void note_trial(std::string& reason, const std::string& shown) {
  reason.erase(std::min(reason.find(tried_note), reason.size()));
  reason += tried_note + shown;
}

}  // namespace

/// Who runs this call: the choice, or native if it is in a trial.
Choice& Communicator::turn_in_trial(const Collective& collective, PlanInUse& plan, Choice& choice) {
  if (!choice.in_trial) return choice;
  judge_when_told(collective, plan, choice);
  if (!choice.in_trial) return choice;
  plan.timed = &choice;
  const Trial::Side side = choice.in_trial->trial.begin_call();
  return side == Trial::Side::native && !choice.native ? plan.choice(Plan::natives_turn) : choice;
}

/// Times are put together from the call after a round to the one after that. The longest of
/// all ranks counts: from the first that came until the last was done. The mean would favour trees
/// that let many go early and the last one late; the shortest is that of a rank that came last, and
/// may leave at once.
void Communicator::judge_when_told(const Collective& collective, PlanInUse& plan, Choice& choice) {
  auto& [bytes, trial, times] = *choice.in_trial;
  if (!trial.is_over() || spoiled_code_ != MPI_SUCCESS) return;
  if (trial.calls_since() == 0) {
    if (!times.is_open()) spoiled_code_ = times.start(trial.times(), MPI_MAX, user_);
    return;
  }
  spoiled_code_ = times.finish(job.waiting);
  if (spoiled_code_ != MPI_SUCCESS) return;
  const UsualArithmetic usual;
  if (trial.judge(times.of_all())) conclude(collective, plan, choice);
}

/// Communicators of the same placement are told by their rank 0 (told_prediction()).
void Communicator::conclude(const Collective& collective, PlanInUse& plan, Choice& choice) {
  const Trial& trial = choice.in_trial->trial;
  const std::int64_t bytes = choice.in_trial->bytes;
  if (rank_ == 0) tell_lesson(collective, *topology_, bytes, choice.algorithm, trial);
  char text[64];
  std::snprintf(text, sizeof text, "%.2f times as fast", trial.ratio());
  if (trial.verdict() == Trial::Side::foretold) {
    note_trial(choice.decision.reason, text);
    note_trial(choice.reason, text);
    job.chooser->learn(collective, *topology_, bytes, choice.decision);
    return;
  }
  job.chooser->refute(collective, *topology_, bytes, choice.decision.algorithm);
  choice.reason.erase(choice.reason.size() - choice.decision.reason.size());
  choice.reason += "tried " + choice.decision.algorithm + ": " + text + "; ";
  choice.lost_calls += Trial::risky_calls * (1 / trial.ratio() - 1);
  choice.kept.clear();
  choice.in_trial.reset();
  ask_next(collective, choice, bytes);
  if (choice.asked_bytes) {
    ++choice.native_calls;
    wait_a_call(collective, plan, choice);
  }
  leave_small_untouched(plan);
}

void Communicator::note_time(const Collective& collective, double seconds) {
  Choice* const timed = std::exchange(plan_of(collective).timed, nullptr);
  if (timed == nullptr) return;
  const UsualArithmetic usual;
  timed->in_trial->trial.end_call(static_cast<std::int64_t>(1e9 * seconds));
}

}  // namespace suiro::mpi
