// SPDX-License-Identifier: BSD-3-Clause
// Which choice holds for which sizes, and why; those that no rule decides are predicted when they
// are asked for.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

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

constexpr int calls_timed_ahead = 4;           // the first is not counted
constexpr std::int64_t calls_until_told = 16;  // then twice as many each time

/// Any algorithm moves the same data. Reductions differ in their last bits, so that none changes
/// its algorithm within a job unless the user says so.
bool is_tried(const Collective& collective) {
  return collective.reduces ? job.settings.tries_reductions() : job.settings.tries();
}

/// Below, a call may be over before what suiro does around it: where device memory is possible,
/// what is not native begins with a reduction. The limit is no measurement: it keeps native what
/// may be slower.
constexpr std::int64_t small_bytes = 4096;
constexpr std::string_view not_yet_predicted =
    "ignorance: a prediction would take longer than these calls";

constexpr std::string_view untold = "ignorance: rank 0 could not tell what it predicted";

Decision native(std::string_view reason) {
  return {std::string(native_algorithm), {}, std::string(reason)};
}

/// How many calls native is to take until a prediction may be told: until they have taken as long
/// as that, or as shows that a program does not use a size once; nothing if it is not worth one.
/// Reductions by another algorithm may differ in their last bits, so that no size of them changes
/// its algorithm within a job: at once, or never. Even the shortest call waits for messages. A
/// communicator that may not last is not worth what a short call of suiro's takes to begin:
/// messages and memory of its own.
std::optional<std::int64_t> calls_before_prediction(const Collective& collective,
                                                    const Topology& topology, std::int64_t bytes,
                                                    bool lasts) {
  constexpr double calls_that_pay = 20;
  constexpr double unnoticed_s = 100e-3;
  constexpr double calls_to_be_sure = 3;
  const double call_s = job.link.startup_s + bound_s(collective, topology, bytes, job.link.Bps);
  const double price_s = job.chooser->price_s(collective, topology, bytes);
  const double calls = price_s / call_s;
  if (collective.reduces && !is_tried(collective)) {
    const bool pays = calls <= calls_that_pay || (price_s <= unnoticed_s && lasts);
    return pays ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  return static_cast<std::int64_t>(std::min(std::ceil(calls), calls_to_be_sure));
}

/// Between sites, algorithms that are told nothing else let as many nodes use the way at once as
/// are known to fill it.
void set_wan_flows(Decision& decision, const Collective& collective, const Topology& topology) {
  const int flows = job.settings.wan_flows;
  if (flows == 0 || topology.sites() == 1 || decision.algorithm == native_algorithm) return;
  const Algorithm& algorithm = *find_candidate(collective.name, decision.algorithm);
  const bool takes = std::ranges::find(algorithm.parameters, wan_flows_parameter,
                                       &ParameterSpec::name) != algorithm.parameters.end();
  if (takes) decision.parameters.try_emplace(std::string(wan_flows_parameter), flows);
}

}  // namespace

/// Where blocks are unequal, and the choice depends on their size.
std::string Communicator::note_of_size(const Collective& collective, const Plan& plan) {
  if (!collective.unequal() || plan.thresholds.empty()) return "";
  return collective.sizes == Sizes::known ? "by the mean size: " : "by the agreed size: ";
}

RuleTable Communicator::table_for(const Collective& collective) const {
  const std::string hint = hints_.empty() ? "" : hints_[index_of(collective)];
  if (hint.empty()) return job.settings.table;
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
  std::unique_ptr<Plan>& place = plans_[index_of(collective)];
  if (place) return;
  const UsualArithmetic usual;
  auto plan = std::make_unique<Plan>();
  if (!obstacle_.empty()) {
    plan->choices.emplace_back();
    plan->choices[0].algorithm = native_algorithm;
    plan->choices[0].reason = obstacle_;
  } else {
    plan_sizes(collective, table_for(collective), *plan);
  }
  place = std::move(plan);
  const auto settled_native = [](const Choice& choice) {
    return choice.native && !choice.asked_bytes;
  };
  const bool native = !job.settings.observed() && settled_native(place->unagreed) &&
                      std::ranges::all_of(place->choices, settled_native);
  if (native) untouched_ |= std::uint64_t{1} << index_of(collective);
  leave_small_untouched(*place);
}

/// Sizes below the first at which anything but native may run.
void Communicator::leave_small_untouched(Plan& plan) {
  if (job.settings.observed()) return;
  std::size_t i = 0;
  while (i < plan.thresholds.size() && plan.choices[i].native && !plan.choices[i].asked_bytes) ++i;
  if (i > 0) plan.touched_from = std::max<std::int64_t>(plan.thresholds[i - 1], 1);
}

/// Where rules end or begin, and, if they leave sizes open, the classes of those that are
/// predicted.
std::vector<std::int64_t> Communicator::thresholds(const Collective& collective,
                                                   const RuleTable& table) const {
  constexpr std::int64_t largest = std::int64_t{1} << 36;
  std::vector<std::int64_t> sizes = table.thresholds(collective.name, *topology_);
  const auto is_open = [&](std::int64_t bytes) {
    return !table.decide({collective.name, *topology_, bytes});
  };
  const bool open = is_open(0) || std::ranges::any_of(sizes, is_open);
  if (open && job.chooser->refusal(collective, *topology_, largest).empty()) {
    for (std::int64_t next = job.chooser->least_bytes(collective, *topology_); next < largest;
         next = size_class(next).last + 1) {
      sizes.push_back(next);
    }
  }
  if (job.devices && !sizes.empty()) sizes.push_back(small_bytes);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

void Communicator::plan_sizes(const Collective& collective, const RuleTable& table,
                              Plan& plan) const {
  plan.thresholds = thresholds(collective, table);
  const std::string note = note_of_size(collective, plan);
  const bool by_size = !note.empty();
  plan.choices.push_back(make_choice(collective, 0, table, note));
  for (const std::int64_t bytes : plan.thresholds) {
    plan.choices.push_back(make_choice(collective, bytes, table, note));
  }
  plan.too_early.algorithm = native_algorithm;
  plan.too_early.reason = "ignorance: the first small calls";
  plan.too_early.wire_blocks = plan.choices.front().wire_blocks;
  plan.natives_turn.algorithm = native_algorithm;
  plan.natives_turn.reason = "trial: native's turn";
  plan.natives_turn.wire_blocks = plan.choices.front().wire_blocks;
  plan.agrees = collective.sizes == Sizes::own &&
                (by_size || joins_unequal(collective, plan.choices.front()));
  if (!by_size) return;
  plan.unagreed = make_choice(
      collective, std::nullopt, table,
      collective.sizes == Sizes::own ? "no size agreed on yet: " : "only the root knows sizes: ");
  plan.too_uneven = make_choice(collective, std::nullopt, table, "blocks too uneven for a size: ");
}

Choice Communicator::make_choice(const Collective& collective, std::optional<std::int64_t> bytes,
                                 const RuleTable& table, const std::string& size_note) const {
  Choice choice;
  choice.wire_blocks = bound_s(collective, *topology_, 1, 1.0);
  choice.reason = size_note;
  if (auto said = table.decide({collective.name, *topology_, bytes})) {
    settle(collective, choice, bytes.value_or(0), std::move(*said));
    return choice;
  }
  const std::string_view why_not = job.chooser->refusal(collective, *topology_, bytes);
  if (!why_not.empty()) {
    settle(collective, choice, 0, native(why_not));
  } else {
    ask_next(collective, choice, size_class(*bytes).middle);  // all of a class are answered alike
  }
  return choice;
}

/// Native until it is predicted.
void Communicator::ask_next(const Collective& collective, Choice& choice,
                            std::int64_t bytes) const {
  settle(collective, choice, 0, native(not_yet_predicted));
  const auto calls =
      calls_before_prediction(collective, *topology_, bytes, user_ == MPI_COMM_WORLD);
  if (!calls) return;
  choice.asked_bytes = bytes;
  choice.native_calls = *calls;
  choice.asked_in_vain = 0;
  choice.work = {};
}

/// Where native has won, its calls are counted until the machine may have changed.
void Communicator::ask_again_later(const Collective& collective, Plan& plan, Choice& choice,
                                   std::int64_t bytes) {
  choice.asked_bytes = bytes;
  choice.is_asked_again = true;
  choice.native_calls = calls_until_asked_again(choice.lost_calls, choice.asked_again++);
  wait_a_call(collective, plan, choice);
}

/// As if nothing had been tried, but that native is asked about again if it is the answer.
void Communicator::ask_again(const Collective& collective, const Plan& plan, Choice& choice) const {
  const std::int64_t bytes = *choice.asked_bytes;
  choice.is_asked_again = false;
  choice.lost_calls = 1;
  choice.reason = note_of_size(collective, plan);
  job.chooser->forget(collective, *topology_, bytes);
  ask_next(collective, choice, bytes);
}

/// `choice.reason` already says what its size is: at least `bytes`.
void Communicator::settle(const Collective& collective, Choice& choice, std::int64_t bytes,
                          Decision decision) const {
  const bool small =
      decision.unasked && decision.algorithm != native_algorithm && bytes < small_bytes;
  if (small && job.devices) {
    decision = native("rule: to agree on whose buffers are in device memory takes as long");
  }
  choice.patient = small && !job.devices && !collective.reduces;
  set_wan_flows(decision, collective, *topology_);
  choice.decision = std::move(decision);
  choice.algorithm = spelled(choice.decision.algorithm, choice.decision.parameters);
  choice.reason += choice.decision.reason;
  choice.native = choice.decision.algorithm == native_algorithm;
}

/// Rank 0 alone works on it; nothing: it is not ready. All ranks get here in the same call; where
/// they cannot be told, each has the error in that call, too.
std::optional<Decision> Communicator::told_prediction(const Collective& collective,
                                                      Choice& choice) const {
  const ErrorsReturned returned(user_);
  const std::int64_t bytes = *choice.asked_bytes;
  const bool decides_at_once = collective.reduces && !is_tried(collective);
  std::array<char, 512> told{};
  if (rank_ == 0 && (decides_at_once || prepare(collective, choice))) {
    Decision mine = native(untold);
    try {
      mine = job.chooser->choose(collective, *topology_, bytes);
    } catch (const std::bad_alloc&) {
      // Others wait to be told, and native needs none of the memory that it lacks.
    }
    std::snprintf(told.data(), told.size(), "%s\n%d\n%s",
                  spelled(mine.algorithm, mine.parameters).c_str(), mine.tried_after,
                  mine.reason.c_str());
  }
  const int size = static_cast<int>(told.size());
  if (real.Bcast(told.data(), size, MPI_CHAR, 0, user_) != MPI_SUCCESS) return native(untold);
  const std::string text = told.data();
  if (text.empty()) return std::nullopt;
  const std::size_t end = text.find('\n');
  const std::size_t reason = text.find('\n', end + 1) + 1;
  const auto forced = RuleTable::forced(collective.name, text.substr(0, end));
  Decision decision = *forced.decide({collective.name, *topology_, bytes});
  decision.reason = text.substr(reason);
  decision.tried_after = std::atoi(text.c_str() + end + 1);
  decision.unasked = true;
  return decision;
}

/// Rank 0 works a little on what it will tell: no more than a share of the time that has passed.
/// Where ranks wait for a processor, what it takes is longer than the moves say. True: it is ready.
bool Communicator::prepare(const Collective& collective, Choice& choice) const {
  constexpr std::int64_t moves_min = 1000;
  const UsualArithmetic usual;
  Choice::Work& work = choice.work;
  const double now = now_s();
  if (work.since_s == 0) work.since_s = now;
  const double granted_s = margins.work_first_s + margins.work_share * (now - work.since_s);
  const double left_s = std::min(granted_s - work.done_s, margins.work_call_s);
  const auto moves = static_cast<std::int64_t>(left_s / margins.move_s);
  if (work.is_ready || moves < moves_min) return work.is_ready;
  try {
    work.is_ready = job.chooser->prepare(collective, *topology_, *choice.asked_bytes, moves);
  } catch (const std::bad_alloc&) {
    work.is_ready = true;  // told_prediction() is without memory, too
  }
  work.done_s += elapsed_s(now);
  return work.is_ready;
}

/// One more call of native's before a prediction. A call that decides to wait is the first of them:
/// where MPI refuses it, it is made again, and must come to the same.
void Communicator::wait_a_call(const Collective& collective, Plan& plan, Choice& choice) {
  time_if_soon(collective, choice);
  --choice.native_calls;
  plan.waiting = &choice;
  if (rank_ == 0 && !choice.is_asked_again) prepare(collective, choice);
}

/// Of the calls before a prediction the last are native's part of a trial.
void Communicator::time_if_soon(const Collective& collective, Choice& choice) const {
  if (!is_tried(collective) || choice.in_trial || choice.native_calls > calls_timed_ahead) return;
  choice.in_trial = std::make_unique<Choice::InTrial>();
  choice.in_trial->bytes = *choice.asked_bytes;
}

void Communicator::predict(const Collective& collective, Plan& plan, Choice& choice) {
  constexpr int doubled_max = 8;
  if (choice.is_asked_again && choice.native_calls == 0) ask_again(collective, plan, choice);
  if (choice.native_calls > 0) return wait_a_call(collective, plan, choice);
  time_if_soon(collective, choice);
  const UsualArithmetic usual;
  const std::int64_t bytes = *choice.asked_bytes;
  std::optional<Decision> told = told_prediction(collective, choice);
  if (!told) {
    choice.in_trial.reset();
    choice.native_calls = calls_until_told << std::min(choice.asked_in_vain++, doubled_max);
    return wait_a_call(collective, plan, choice);
  }
  Decision& decision = *told;
  static std::atomic<bool> complained{false};
  if (rank_ == 0 && decision.reason.starts_with(failed_prediction) && !complained.exchange(true)) {
    say(std::string(collective.name) + " of " + std::to_string(bytes) +
        " bytes: " + decision.reason + "; native is used");
  }
  choice.asked_bytes.reset();
  choice.reason.erase(choice.reason.size() - not_yet_predicted.size());
  settle(collective, choice, bytes, std::move(decision));
  const bool known = choice.decision.reason.find(tried_note) != std::string::npos;
  if (choice.native || known) choice.in_trial.reset();
  if (choice.in_trial) choice.in_trial->trial.begin(choice.decision.tried_after);
  if (choice.native && choice.lost_calls > 0) ask_again_later(collective, plan, choice, bytes);
  leave_small_untouched(plan);
}

}  // namespace suiro::mpi
