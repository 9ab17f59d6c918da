// SPDX-License-Identifier: BSD-3-Clause
// What no rule decides is predicted when it is asked for: rank 0 works on it, and tells the others.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <thread>
#include <utility>

#include "base/tell.hpp"
#include "choose/margins.hpp"
#include "mpi/decide/communicator.hpp"
#include "mpi/job/job.hpp"
#include "mpi/underneath/elapsed.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

constexpr std::string_view not_worth_it = "ignorance: a prediction is not worth these calls";
constexpr std::string_view untold = "ignorance: rank 0 could not tell what it predicted";

/// From rank 0, which may work on it. Where ranks share a processor and the MPI does not give it
/// away, the others leave theirs to it: they sleep, as each look takes it from it; for an eighth of
/// the time that they have waited, since each level of the tree adds its share. Nodes may differ in
/// that, so all make the same call.
int broadcast(std::span<char> told, MPI_Comm communicator, bool sleeps) {
  constexpr double asleep_min_s = 50e-6;
  constexpr double asleep_max_s = 0.5e-3;
  const double begun_s = now_s();
  MPI_Request request = MPI_REQUEST_NULL;
  int code =
      real.Ibcast(told.data(), static_cast<int>(told.size()), MPI_CHAR, 0, communicator, &request);
  if (code == MPI_SUCCESS && !sleeps) return real.Wait(&request, MPI_STATUS_IGNORE);
  for (int done = 0; code == MPI_SUCCESS;) {
    code = real.Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    const double asleep_s = std::clamp(elapsed_s(begun_s) / 8, asleep_min_s, asleep_max_s);
    std::this_thread::sleep_for(std::chrono::duration<double>(asleep_s));
  }
  return code;
}

constexpr std::int64_t calls_min = 16;  // between two looks whether rank 0 is ready
constexpr std::int64_t calls_max = 4096;

/// What rank 0 may work without an account of it. The time of one call is lent to a program that
/// calls again and again, and not asked back when calls are shorter.
double free_s(Choice::Work& work) {
  const double lent_s = work.calls < calls_min ? 0 : work.one_call_s();
  work.free_s = std::max(work.free_s, margins.work_first_s + lent_s);
  return work.free_s;
}

/// What rank 0 may still work.
double left_s(Choice& choice) {
  const double free_left_s = std::max(free_s(choice.work) - choice.work.done_s, 0.0);
  return free_left_s + std::max(choice.regret.spare(), 0.0) * choice.work.one_call_s();
}

/// Until rank 0 may work on for as long as at first, where next to nothing is left of what it may.
/// To ask it costs all ranks a message, so none asks before.
std::int64_t calls_until_more_work(Choice& choice) {
  constexpr double next_to_nothing = 0.2;
  const double left = left_s(choice);
  const double one_call_s = choice.work.one_call_s();
  if (left >= next_to_nothing * margins.work_first_s) return 1;
  if (one_call_s <= 0) return calls_min;
  const int calls = choice.regret.calls_until(margins.work_first_s / one_call_s);
  return std::clamp(std::int64_t{calls}, calls_min, calls_max);
}

/// What rank 0 has worked and is not accounted for yet, in thousandths of a call.
std::int64_t take_into_account(Choice::Work& work) {
  const double owed_s = std::max(work.done_s - free_s(work), 0.0) - work.accounted_s;
  if (owed_s <= 0 || work.calls == 0) return 0;
  work.accounted_s += owed_s;
  return std::llround(1e3 * owed_s / work.one_call_s());
}

void account(Regret& regret, std::int64_t thousandths) {
  regret.lose(1e-3 * static_cast<double>(thousandths));
}

}  // namespace

RuleTable Communicator::table_for(const Collective& collective) const {
  const std::string& hint = hints_[index_of(collective)];
  try {
    return job.settings.table.preceded_by(RuleTable::forced(collective.name, hint));
  } catch (const std::exception& error) {
    if (rank_ == 0) {
      say("info key suiro_" + std::string(collective.name) + ": " + error.what() +
          "; native is used");
    }
    return RuleTable::forced(collective.name, native_algorithm);
  }
}

void Communicator::plan(const Collective& collective) {
  std::unique_ptr<PlanInUse>& place = plans_[index_of(collective)];
  if (place) return;
  const UsualArithmetic usual;
  std::shared_ptr<const Plan> plan;
  if (!obstacle_.empty()) {
    plan = native_plan(obstacle_);
  } else if (!hints_.empty() && !hints_[index_of(collective)].empty()) {
    plan = make_plan(collective, *topology_, table_for(collective), lasts());
  } else {
    plan = shared_plan(collective, topology_, lasts());
  }
  place = std::make_unique<PlanInUse>(std::move(plan));
  if (!job.settings.observed() && place->is_native()) {
    untouched_ |= std::uint64_t{1} << index_of(collective);
  }
  leave_small_untouched(*place);
}

/// Sizes below the first at which anything but native may run.
void Communicator::leave_small_untouched(PlanInUse& plan) {
  if (job.settings.observed()) return;
  const std::vector<std::int64_t>& thresholds = plan.plan->thresholds;
  std::size_t i = 0;
  while (i < thresholds.size() && plan.is_native(i)) ++i;
  if (i > 0) plan.touched_from = std::max<std::int64_t>(thresholds[i - 1], 1);
}

/// After what was said last has been refuted, or may no longer be so.
void Communicator::ask_next(const Collective& collective, Choice& choice,
                            std::int64_t bytes) const {
  suiro::mpi::ask_next(collective, *topology_, choice, bytes, lasts());
  choice.calls_until_asked = std::max(choice.calls_until_asked, choice.rest);
}

/// Where native has won, its calls are counted until the machine may have changed.
void Communicator::ask_again_later(const Collective& collective, PlanInUse& plan, Choice& choice,
                                   std::int64_t bytes) {
  choice.asked_bytes = bytes;
  choice.is_asked_again = true;
  choice.calls_until_asked = calls_until_asked_again(choice.lost_calls, choice.asked_again++);
  wait_a_call(collective, plan, choice);
}

/// As if nothing had been tried, but that native is asked about again if it is the answer.
void Communicator::ask_again(const Collective& collective, const PlanInUse& plan,
                             Choice& choice) const {
  const std::int64_t bytes = *choice.asked_bytes;
  choice.is_asked_again = false;
  choice.lost_calls = 1;
  choice.reason = plan.plan->size_note;
  choice.work = {};
  choice.rest = 0;
  job.chooser->forget(collective, *topology_, bytes);
  ask_next(collective, choice, bytes);
}

Decision Communicator::decision_of_rank_0(const Collective& collective,
                                          const Choice& choice) const {
  const std::int64_t bytes = choice.bytes_asked_about();
  if (!choice.asks_for_rival()) {
    if (!is_worth_predicting(collective, *topology_, bytes, lasts()))
      return native(std::string(not_worth_it));
    return job.chooser->choose(collective, *topology_, bytes, is_tried(collective));
  }
  auto rival = job.chooser->challenger(collective, *topology_, bytes, choice.decision,
                                       choice.regret.spare());
  return rival ? std::move(*rival) : native("no rival is left");
}

/// Rank 0 alone works on it. All ranks get here in the same call; where they cannot be told, each
/// has the error in that call, too.
Communicator::Told Communicator::told_prediction(const Collective& collective,
                                                 Choice& choice) const {
  const ErrorsReturned returned(user_);
  const std::int64_t bytes = choice.bytes_asked_about();
  const bool decides_at_once = collective.reduces && !is_tried(collective);
  std::array<char, 512> told{};
  if (rank_ == 0) {
    Decision mine = native(std::string(untold));
    bool is_ready = true;
    try {
      is_ready = decides_at_once || prepare(collective, choice);
      if (is_ready) mine = decision_of_rank_0(collective, choice);
    } catch (const std::bad_alloc&) {
      // Others wait to be told, and native needs none of the memory that it lacks.
    }
    const std::int64_t lost = take_into_account(choice.work);
    account(choice.regret, lost);
    const bool is_all_done = is_ready && choice.asks_for_rival();
    const std::int64_t calls = is_all_done ? 1 : calls_until_more_work(choice);
    std::snprintf(told.data(), told.size(), "%s\n%d\n%d\n%lld\n%lld\n%lld\n%s",
                  spelled(mine.algorithm, mine.parameters).c_str(), mine.tried_after, is_ready,
                  static_cast<long long>(calls), static_cast<long long>(lost),
                  static_cast<long long>(mine.link_Bps), mine.reason.c_str());
  }
  const bool sleeps = rank_ != 0 && job.waiting.must_yield();
  if (broadcast(told, user_, sleeps) != MPI_SUCCESS) {
    return {.decision = native(std::string(untold))};
  }
  const std::string text = told.data();
  const std::size_t after = text.find('\n') + 1;
  const std::size_t is_ready = text.find('\n', after) + 1;
  const std::size_t rest = text.find('\n', is_ready) + 1;
  const std::size_t lost = text.find('\n', rest) + 1;
  const std::size_t link = text.find('\n', lost) + 1;
  const auto forced = RuleTable::forced(collective.name, text.substr(0, after - 1));
  Decision decision = *forced.decide({collective.name, *topology_, bytes});
  decision.reason = text.substr(text.find('\n', link) + 1);
  decision.tried_after = std::atoi(text.c_str() + after);
  decision.link_Bps = std::atoll(text.c_str() + link);
  decision.unasked = true;
  choice.rest = std::atoll(text.c_str() + rest);
  if (rank_ != 0) account(choice.regret, std::atoll(text.c_str() + lost));
  return {std::move(decision), text[is_ready] == '1'};
}

/// Rank 0 works on what it tells, while the others wait for it. For the first answer that is at
/// once what is soon done, whatever the clock says; what comes later is a part of what trials may
/// lose. Only its own time of a processor counts: in the rest of it others may still end their last
/// calls. True: it is ready.
bool Communicator::prepare(const Collective& collective, Choice& choice) const {
  constexpr std::int64_t moves = 1000;  // between looks at the clock
  constexpr auto at_once = static_cast<std::int64_t>(margins.work_first_s / margins.move_s);
  const UsualArithmetic usual;
  Choice::Work& work = choice.work;
  const std::int64_t bytes = choice.bytes_asked_about();
  const auto is_ready_after = [&](std::int64_t some) {
    return choice.asks_for_rival()
               ? job.chooser->prepare_challenger(collective, *topology_, bytes, some)
               : job.chooser->prepare(collective, *topology_, bytes, some);
  };
  // Without moves it tells what is ready, or another communicator has had foretold meanwhile.
  const bool is_first = work.done_s <= 0;
  if (!is_first && is_ready_after(0)) return true;
  const double begun_s = now_s();
  const double worked_before_s = worked_s();
  const double left = left_s(choice);
  const auto may_go_on = [&] {
    return elapsed_s(begun_s) < margins.work_call_s && worked_s() - worked_before_s < left;
  };
  bool is_ready = is_first && is_ready_after(at_once);
  if (is_first) work.free_s = worked_s() - worked_before_s;
  while (!is_ready && may_go_on()) is_ready = is_ready_after(moves);
  work.done_s += worked_s() - worked_before_s;
  return is_ready;
}

/// Rank 0 was not ready.
void Communicator::ask_later(const Collective& collective, PlanInUse& plan, Choice& choice) {
  choice.calls_until_asked = choice.rest;
  wait_a_call(collective, plan, choice);
}

/// One more call before rank 0 is asked. A call that decides to wait is the first of them:
/// where MPI refuses it, it is made again, and must come to the same.
void Communicator::wait_a_call(const Collective& collective, PlanInUse& plan, Choice& choice) {
  time_if_soon(collective, choice);
  --choice.calls_until_asked;
  ++choice.calls_waited;
  plan.waiting = &choice;
  const bool is_warm = choice.calls_waited > 1;
  if (rank_ == 0 && is_warm && !choice.is_asked_again) plan.clocked = &choice;
}

/// Of the calls before a prediction the last are native's part of a trial.
void Communicator::time_if_soon(const Collective& collective, Choice& choice) const {
  if (!is_tried(collective) || choice.in_trial || choice.calls_until_asked > calls_timed_ahead)
    return;
  choice.in_trial = std::make_unique<Choice::InTrial>();
  choice.in_trial->bytes = *choice.asked_bytes;
}

/// What another communicator has shown holds here, too. It may not last, so that rivals come only
/// after some calls.
void Communicator::take_over(Choice& choice, std::int64_t bytes) {
  choice.in_trial = std::make_unique<Choice::InTrial>();
  choice.in_trial->bytes = bytes;
  choice.in_trial->trial.begin_settled();
  choice.work = {};
  choice.is_challenged = true;
  choice.calls_until_asked = margins.trial_calls_min;
}

void Communicator::predict(const Collective& collective, PlanInUse& plan, Choice& choice) {
  const UsualArithmetic usual;
  if (choice.is_asked_again && choice.calls_until_asked == 0) ask_again(collective, plan, choice);
  if (choice.calls_until_asked > 0) return wait_a_call(collective, plan, choice);
  time_if_soon(collective, choice);
  const std::int64_t bytes = *choice.asked_bytes;
  auto [decision, is_ready] = told_prediction(collective, choice);
  if (!is_ready) {
    choice.in_trial.reset();
    return ask_later(collective, plan, choice);
  }
  static std::atomic<bool> complained{false};
  if (rank_ == 0 && decision.reason.starts_with(failed_prediction) && !complained.exchange(true)) {
    say(std::string(collective.name) + " of " + std::to_string(bytes) +
        " bytes: " + decision.reason + "; native is used");
  }
  choice.asked_bytes.reset();
  choice.reason.erase(choice.reason.size() - not_yet_predicted.size());
  settle(collective, *topology_, choice, bytes, std::move(decision));
  const bool known = choice.decision.reason.find(tried_note) != std::string::npos;
  if (choice.native || known) choice.in_trial.reset();
  if (choice.in_trial) {
    const int before = choice.decision.tried_after;
    const bool is_new = before > 0 && choice.lost_calls == 0;
    const int least = is_new ? margins.trial_calls_min : 0;
    const int calls = choice.regret.calls_until(margins.regret_share * before);
    choice.in_trial->trial.begin(std::max(calls, least), choice.regret.calls(),
                                 choice.regret.spare());
  }
  if (known && is_tried(collective)) take_over(choice, bytes);
  if (choice.native && choice.lost_calls > 0) ask_again_later(collective, plan, choice, bytes);
  leave_small_untouched(plan);
}

}  // namespace suiro::mpi
