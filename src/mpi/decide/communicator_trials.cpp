// SPDX-License-Identifier: BSD-3-Clause
// What was predicted is held against native in the program's own calls.
#include <cstdio>
#include <utility>

#include "mpi/decide/communicator.hpp"
#include "mpi/job/job.hpp"
#include "mpi/job/lessons.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

/// Who runs this call: the choice, or native if it is in a trial.
Choice& Communicator::turn_in_trial(const Collective& collective, Plan& plan, Choice& choice) {
  if (!choice.in_trial) return choice;
  judge_when_told(collective, plan, choice);
  if (!choice.in_trial) return choice;
  plan.timed = &choice;
  const Trial::Side side = choice.in_trial->trial.begin_call();
  return side == Trial::Side::native && !choice.native ? plan.natives_turn : choice;
}

/// Times are put together from the call after a round to the one after that. The longest of
/// all ranks counts: from the first that came until the last was done. The mean would favour trees
/// that let many go early and the last one late; the shortest is that of a rank that came last, and
/// may leave at once.
void Communicator::judge_when_told(const Collective& collective, Plan& plan, Choice& choice) {
  auto& [bytes, trial, times] = *choice.in_trial;
  if (!trial.is_over() || spoiled_code_ != MPI_SUCCESS) return;
  if (trial.calls_since() == 0) {
    if (!times.is_open()) spoiled_code_ = times.start(trial.times(), MPI_MAX, user_);
    return;
  }
  spoiled_code_ = times.finish(job.waiting);
  if (spoiled_code_ != MPI_SUCCESS) return;
  const UsualArithmetic usual;
  trial.judge(times.of_all());
  if (trial.verdict()) conclude(collective, plan, choice);
}

/// Communicators of the same placement are told by their rank 0 (told_prediction()).
void Communicator::conclude(const Collective& collective, Plan& plan, Choice& choice) {
  const auto in_trial = std::move(choice.in_trial);
  if (rank_ == 0) {
    tell_lesson(collective, *topology_, in_trial->bytes, choice.algorithm, in_trial->trial);
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.2f times as fast", in_trial->trial.ratio());
  if (in_trial->trial.verdict() == Trial::Side::foretold) {
    choice.decision.reason += std::string(tried_note) + text;
    choice.reason += std::string(tried_note) + text;
    job.chooser->learn(collective, *topology_, in_trial->bytes, choice.decision);
    return;
  }
  job.chooser->refute(collective, *topology_, in_trial->bytes, choice.decision.algorithm);
  choice.reason.erase(choice.reason.size() - choice.decision.reason.size());
  choice.reason += "tried " + choice.decision.algorithm + ": " + text + "; ";
  choice.kept.clear();
  ask_again(collective, choice, in_trial->bytes);
  leave_small_untouched(plan);
}

void Communicator::note_time(const Collective& collective, double seconds) {
  Choice* const timed = std::exchange(plan_of(collective).timed, nullptr);
  if (timed == nullptr) return;
  const UsualArithmetic usual;
  timed->in_trial->trial.end_call(static_cast<std::int64_t>(1e9 * seconds));
}

}  // namespace suiro::mpi
