// SPDX-License-Identifier: BSD-3-Clause
// What was predicted is held against native in the program's own calls, and what has won against
// others.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "choose/margins.hpp"
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

/// Who runs this call: the choice, or native or a rival if it is in a trial.
Choice& Communicator::turn_in_trial(const Collective& collective, PlanInUse& plan, Choice& choice) {
  plan.counted = &choice;
  choice.regret.add_call();
  if (!choice.in_trial) return choice;
  if (!choice.challenge && is_judged(*choice.in_trial)) {
    conclude(collective, plan, choice);
  }
  if (!choice.in_trial) return choice;
  if (choice.is_challenged) turn_to_rival(collective, plan, choice);
  if (choice.challenge) {
    plan.timed = &choice.challenge->trial;
    const Trial::Side side = plan.timed->begin_call();
    return side == Trial::Side::foretold ? *choice.challenge->rival : choice;
  }
  plan.timed = &choice.in_trial->trial;
  const Trial::Side side = plan.timed->begin_call();
  return side == Trial::Side::native && !choice.native ? plan.choice(Plan::natives_turn) : choice;
}

/// Times are put together from the call after a round to the one after that. The longest of
/// all ranks counts: from the first that came until the last was done. The mean would favour trees
/// that let many go early and the last one late; the shortest is that of a rank that came last, and
/// may leave at once. True: there is a verdict, or another one.
bool Communicator::is_judged(Choice::Contest& contest) {
  auto& [trial, times] = contest;
  if (!trial.is_over() || spoiled_code_ != MPI_SUCCESS) return false;
  if (trial.calls_since() == 0) {
    if (!times.is_open()) spoiled_code_ = times.start(trial.times(), MPI_MAX, user_);
    return false;
  }
  spoiled_code_ = times.finish(job.waiting);
  if (spoiled_code_ != MPI_SUCCESS) return false;
  const UsualArithmetic usual;
  return trial.judge(times.of_all());
}

/// Asks rank 0 for the next rival, if none is there and the time has come.
void Communicator::turn_to_rival(const Collective& collective, PlanInUse& plan, Choice& choice) {
  if (choice.challenge && is_judged(*choice.challenge)) {
    conclude_challenge(collective, choice);
  }
  if (choice.challenge || !choice.in_trial->trial.is_settled()) return;
  if (choice.calls_until_asked > 0) return wait_a_call(collective, plan, choice);
  const UsualArithmetic usual;
  auto [decision, is_ready] = told_prediction(collective, choice);
  if (!is_ready) return ask_later(collective, plan, choice);
  const int calls = choice.regret.calls_until(margins.regret_share * decision.tried_after);
  if (decision.algorithm != native_algorithm && calls > calls_timed_ahead) {
    // Meanwhile what has won may be looked at again.
    choice.calls_until_asked = calls - calls_timed_ahead;
    return wait_a_call(collective, plan, choice);
  }
  auto rival = std::make_unique<Choice>();
  rival->reason = plan.plan->size_note;
  rival->wire_blocks = choice.wire_blocks;
  settle(collective, *topology_, *rival, choice.in_trial->bytes, std::move(decision));
  choice.is_challenged = !rival->native;
  if (rival->native) return;
  choice.challenge = std::make_unique<Choice::Challenge>();
  choice.challenge->rival = std::move(rival);
  choice.challenge->trial.begin(calls_timed_ahead, Trial::warm_after, choice.regret.spare());
}

void Communicator::conclude_challenge(const Collective& collective, Choice& choice) const {
  const UsualArithmetic usual;
  const std::unique_ptr<Choice::Challenge> challenge = std::move(choice.challenge);
  const Trial& trial = challenge->trial;
  const std::unique_ptr<Choice>& rival = challenge->rival;
  const std::int64_t bytes = choice.in_trial->bytes;
  const bool has_won = trial.verdict() == Trial::Side::foretold;
  const Choice& loser = has_won ? choice : *rival;
  job.chooser->beat(collective, *topology_, bytes, loser.decision);
  choice.calls_until_asked = choice.rest;
  if (!has_won) return choice.regret.lose(trial.lost_calls());
  choice.regret.replace(trial.ratio());
  choice.work.replace(trial.ratio());
  char text[64];
  std::snprintf(text, sizeof text, "%.2f times as fast as ", trial.ratio());
  rival->decision.reason += tried_note + (text + choice.algorithm);
  rival->reason += rival->decision.reason.substr(rival->decision.reason.find(tried_note));
  const std::span<const std::int64_t> natives = choice.in_trial->trial.natives();
  if (rank_ == 0 && !natives.empty()) {  // else another communicator held it against native
    tell_lesson(collective, *topology_, bytes, rival->algorithm, natives, trial.foretold());
  }
  rival->calls_until_asked = choice.calls_until_asked;
  static_cast<Answer&>(choice) = std::move(*rival);
  choice.kept = std::move(rival->kept);
  choice.in_trial->trial.replace(trial.ratio());
  job.chooser->learn(collective, *topology_, bytes, choice.decision);
}

/// Communicators of the same placement are told by their rank 0 (told_prediction()).
void Communicator::conclude(const Collective& collective, PlanInUse& plan, Choice& choice) {
  const UsualArithmetic usual;
  const Trial& trial = choice.in_trial->trial;
  const std::int64_t bytes = choice.in_trial->bytes;
  if (rank_ == 0) {
    tell_lesson(collective, *topology_, bytes, choice.algorithm, trial.natives(), trial.foretold());
    job.chooser->show_native(collective, *topology_, bytes, trial.native_s());
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.2f times as fast", trial.ratio());
  if (trial.verdict() == Trial::Side::foretold) {
    note_trial(choice.decision.reason, text);
    note_trial(choice.reason, text);
    job.chooser->learn(collective, *topology_, bytes, choice.decision);
    choice.regret.replace(trial.ratio());
    choice.work.replace(trial.ratio());
    choice.is_challenged = true;
    choice.calls_until_asked = choice.rest;
    return;
  }
  if (trial.has_looked()) {
    choice.regret.go_back(1 / trial.ratio());
    choice.work.replace(1 / trial.ratio());
  }
  choice.is_challenged = false;
  choice.reason.erase(choice.reason.size() - choice.decision.reason.size());
  choice.reason += "tried " + choice.decision.algorithm + ": " + text + "; ";
  constexpr double lost_min = 0.01;  // a tie is asked about again, too
  choice.lost_calls += std::max(trial.lost_calls(), lost_min);
  choice.regret.lose(trial.lost_calls());
  job.chooser->refute(collective, *topology_, bytes, choice.decision.algorithm);
  choice.kept.clear();
  choice.in_trial.reset();
  ask_next(collective, choice, bytes);
  if (choice.asked_bytes) {
    ++choice.calls_until_asked;
    wait_a_call(collective, plan, choice);
  }
  leave_small_untouched(plan);
}

void Communicator::note_time(const Collective& collective, double seconds) const {
  PlanInUse& plan = plan_of(collective);
  Trial* const timed = std::exchange(plan.timed, nullptr);
  Choice* const clocked = std::exchange(plan.clocked, nullptr);
  if (timed == nullptr && clocked == nullptr) return;
  const UsualArithmetic usual;
  if (timed != nullptr) timed->end_call(static_cast<std::int64_t>(1e9 * seconds));
  if (clocked == nullptr) return;
  clocked->work.calls_s += seconds;
  ++clocked->work.calls;
}

}  // namespace suiro::mpi
