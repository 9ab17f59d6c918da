// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/decide/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

#include "algorithms/catalog.hpp"
#include "base/tell.hpp"
#include "mpi/carry/arguments.hpp"
#include "mpi/carry/device_memory.hpp"
#include "mpi/carry/workspace.hpp"
#include "mpi/job/job.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/reserve.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

constexpr int early_calls_max = 3;

/// Joined are blocks that are small, or nearly equal: a few large ones among many small ones would
/// each go straight, after a schedule that moves next to nothing.
bool too_large_to_join(const BlockBytes& agreed) {
  constexpr std::int64_t always = 1024;
  constexpr std::int64_t means = 8;
  return agreed.largest > always && agreed.largest / means > agreed.mean;
}

/// The size for which a call's schedule is made: of which there are eight between a power of two
/// and the next. Else programs whose sizes never repeat would have one made, and ask all ranks for
/// its memory, in each call.
std::int64_t size_of_schedule(const Collective& collective, const Operation& operation, int ranks) {
  constexpr std::int64_t steps = 8;
  if (!collective.cut()) return 0;
  const std::int64_t bytes = collective.cut_bytes(operation.bytes.value_or(0), ranks);
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
  const std::int64_t step = std::max<std::int64_t>(power / steps, 1);
  return (bytes + step - 1) / step * step;
}

/// What an executor keeps of a schedule on any rank, about: a step for each rank of a node in each
/// of its rounds.
std::int64_t kept_steps(const Schedule& schedule, const Topology& topology) {
  return std::min(schedule.rounds, Executor::kept_rounds_max) * topology.max_ppn();
}

/// A choice keeps many short schedules, as roots rotate and sizes change, and few long ones. So
/// that all ranks keep the same, they go by what all know.
void make_room(std::vector<Choice::Kept>& kept, std::int64_t steps) {
  constexpr std::size_t least = 4;
  constexpr std::size_t most = 64;
  constexpr std::int64_t steps_max = 64 << 10;  // some megabytes
  for (const Choice::Kept& one : kept) steps += one.steps;
  while (kept.size() >= least && (kept.size() >= most || steps > steps_max)) {
    steps -= kept.front().steps;
    kept.erase(kept.begin());
  }
}

/// Another rank had an error of its own, so that this one has nothing to hand to the user.
int code_of_loss(const Collective& collective, const Choice& choice) {
  if (survives_failures()) return failed_process_code();
  static std::atomic<bool> complained{false};
  if (!complained.exchange(true)) {
    say("rank " + std::to_string(job.rank) + ": " + std::string(collective.name) + " by " +
        choice.algorithm + " got nothing from a rank that had an error");
  }
  return MPI_ERR_OTHER;
}

}  // namespace

Communicator::Communicator(MPI_Comm communicator, Hints hints)
    : user_(communicator), hints_(std::move(hints)), plans_(collectives().size()) {
  int is_inter = 0;
  if (real.Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS || is_inter != 0) {
    obstacle_ = shape_ = "intercommunicator";
  } else {
    real.Comm_size(communicator, &ranks_);
    real.Comm_rank(communicator, &rank_);
    auto [topology, first_world_rank] = job.placement.of(communicator);
    first_world_rank_ = first_world_rank;
    topology_ = std::move(topology);
    shape_ = topology_ ? topology_->describe() : std::to_string(ranks_) + " ranks";
    if (!topology_) {
      obstacle_ = "processes that were started later";
    } else if (topology_->nodes() == 1) {
      obstacle_ = "one node: nothing crosses the network";
    }
  }
  untouched_ = job.left_native;
  if (obstacle_.empty() || job.settings.observed()) return;
  untouched_ = ~std::uint64_t{0};
}

PlanInUse::PlanInUse(std::shared_ptr<const Plan> begun)
    : plan(std::move(begun)), choices(plan->answers.size()) {}

Choice& PlanInUse::at(std::size_t place) {
  std::unique_ptr<Choice>& choice = choices[place];
  if (!choice) choice = std::make_unique<Choice>(Choice{plan->answers[place]});
  return *choice;
}

bool PlanInUse::is_native(std::size_t place) const {
  const Answer& answer = choices[place] ? *choices[place] : plan->answers[place];
  return answer.native && !answer.asked_bytes;
}

bool PlanInUse::is_native() const {
  if (!is_native(plan->place_of(Plan::unagreed))) return false;
  for (std::size_t place = 0; place < plan->sizes(); ++place) {
    if (!is_native(place)) return false;
  }
  return true;
}

Choice& Communicator::choose(const Collective& collective, std::int64_t bytes) {
  PlanInUse& plan = plan_of(collective);
  Choice& choice = plan.at(plan.plan->place_of(bytes));
  if (choice.asked_bytes) predict(collective, plan, choice);
  return choice;
}

Choice& Communicator::choose_and_count(const Collective& collective, std::int64_t bytes,
                                       bool uneven) {
  PlanInUse& plan = plan_of(collective);
  plan.begin_call();
  const bool unsuited = uneven && !plan.plan->thresholds.empty();
  Choice& choice = unsuited ? plan.choice(Plan::too_uneven) : choose(collective, bytes);
  plan.was_early = choice.patient && !twin_.is_made() && plan.early_calls < early_calls_max;
  if (!plan.was_early) return turn_in_trial(collective, plan, choice);
  ++plan.early_calls;
  return plan.choice(Plan::too_early);
}

Choice& Communicator::choose(const Collective& collective) {
  PlanInUse& plan = plan_of(collective);
  plan.begin_call();
  if (plan.plan->thresholds.empty()) return plan.at(0);
  const std::optional<BlockBytes>& agreed = plan.agreement.agreed();
  if (!agreed) return plan.choice(Plan::unagreed);
  if (agreed->mean == uneven) return plan.choice(Plan::too_uneven);
  Choice& choice = choose(collective, agreed->mean);
  const bool large = too_large_to_join(*agreed);
  const bool spoilt = large && joins_unequal(collective, choice);
  const bool spoils_rival =
      large && choice.challenge && joins_unequal(collective, *choice.challenge->rival);
  if (spoils_rival) return choice;
  return spoilt ? plan.choice(Plan::too_uneven) : turn_in_trial(collective, plan, choice);
}

int Communicator::agree_on_size(const Collective& collective, const UserBuffer& send,
                                const UserBuffer& receive) {
  PlanInUse& plan = plan_of(collective);
  if (!plan.plan->agrees) return MPI_SUCCESS;
  if (spoiled_code_ != MPI_SUCCESS) {
    real.Comm_call_errhandler(user_, spoiled_code_);
    return spoiled_code_;
  }
  if (plan.agreement.is_due()) {
    const BlockBytes vouched = vouched_bytes(send, receive, *topology_, rank_);
    spoiled_code_ = plan.agreement.exchange(user_, vouched, job.waiting);
  }
  plan.agreement.count();
  return spoiled_code_;
}

std::optional<std::int64_t> Communicator::agreed_bytes(const Collective& collective) const {
  const std::optional<BlockBytes>& agreed = plan_of(collective).agreement.agreed();
  return agreed && agreed->mean != uneven ? std::optional(agreed->mean) : std::nullopt;
}

void Communicator::take_back(const Collective& collective) {
  PlanInUse& plan = plan_of(collective);
  if (plan.plan->agrees) plan.agreement.take_back();
  if (plan.was_early) --plan.early_calls;
  plan.was_early = false;
  if (plan.waiting != nullptr) {
    ++plan.waiting->calls_until_asked;
    --plan.waiting->calls_waited;
  }
  if (plan.counted != nullptr) plan.counted->regret.take_back_call();
  if (plan.timed != nullptr) plan.timed->take_back();
  plan.begin_call();
}

Workspace& Communicator::workspace_for(const Collective& collective, Choice& choice,
                                       const Operation& operation) const {
  const int root = collective.rooted ? operation.root : 0;
  const std::int64_t bytes = size_of_schedule(collective, operation, ranks_);
  const auto found = std::ranges::find_if(choice.kept, [&](const Choice::Kept& kept) {
    return kept.root == root && kept.bytes == bytes;
  });
  if (found != choice.kept.end()) {
    std::rotate(found, found + 1, choice.kept.end());
    return *choice.kept.back().workspace;
  }
  const UsualArithmetic usual;
  const Algorithm& algorithm = *find_candidate(collective.name, choice.decision.algorithm);
  const Link link = with_rate(job.link, choice.decision.link_Bps);
  const Call call{.topology = *topology_, .root = root, .bytes = bytes, .link = link};
  const Schedule schedule = build(algorithm, call, choice.decision.parameters);
  const std::int64_t steps = kept_steps(schedule, *topology_);
  make_room(choice.kept, steps);  // on all ranks, also where one then has no memory
  if (!has_reserve()) throw std::bad_alloc();
  choice.kept.push_back({root, bytes, make_workspace(schedule, rank_), steps});
  return *choice.kept.back().workspace;
}

int Communicator::error_of_types(const Operation& operation) const {
  if (!twin_.obstacle().empty()) return MPI_SUCCESS;  // native it is
  if (twin_.is_made()) return mpi::error_of_types(operation, ranks_, twin_.communicator());
  const ErrorsReturned returned(user_);
  return mpi::error_of_types(operation, ranks_, user_);
}

std::string Communicator::prepare(const Collective& collective, Choice& choice,
                                  const Operation& operation) {
  if (spoiled_code_ != MPI_SUCCESS) return {};
  if (!twin_.is_made() && twin_.obstacle().empty()) twin_.make(user_, rank_);
  if (!twin_.obstacle().empty()) return std::string(twin_.obstacle());
  if (find_candidate(collective.name, choice.decision.algorithm)->in_shared_memory) {
    const std::string_view why_not = twin_.prepare_node_memory(*topology_, rank_);
    if (!why_not.empty()) return std::string(why_not);
  }
  try {
    const Workspace& workspace = workspace_for(collective, choice, operation);
    if (!joins_unequal(collective, choice) &&
        !can_run(workspace, operation, goes_over_net(collective, choice))) {
      if (choice.kept.back().granted < 0) ask_for_nothing(choice);
      return "blocks too large, or of a type that suiro's transport does not carry";
    }
  } catch (const std::bad_alloc&) {
    all_say(false, user_);  // the others, who have a new one, ask, too
    return std::string(out_of_memory);
  }
  return {};
}

/// Others may have failed to build the schedule, which is new.
void Communicator::ask_for_nothing(Choice& choice) {
  const Ending::Lack lack = lack_of_any(true, !twin_.lacks_node_memory(), user_);
  twin_.note_lack(lack);
  choice.kept.back().granted = 0;
  if (lack == Ending::Lack::memory) choice.kept.pop_back();
}

/// Of a call that all ranks know the size of. They ask when this is news, and where it is so much
/// that nothing of it is kept from the last call.
std::int64_t Communicator::memory_at_stake(const Collective& collective, const Operation& operation,
                                           std::optional<std::size_t> slot) const {
  if (slot) return static_cast<std::int64_t>(*slot) * ranks_;
  const std::int64_t bytes = operation.bytes.value_or(0);
  return collective.cut() ? collective.cut_bytes(bytes, ranks_) : bytes * ranks_;
}

Ending Communicator::run(const Collective& collective, Choice& choice, const Operation& operation) {
  if (spoiled_code_ != MPI_SUCCESS) return Ending{spoiled_code_};
  constexpr std::int64_t always = std::int64_t{8} << 20;
  Choice::Kept& kept = choice.kept.back();
  Workspace& workspace = *kept.workspace;
  std::optional<std::size_t> slot;
  if (joins_unequal(collective, choice)) {
    slot = slot_bytes(workspace, plan_of(collective).agreement.agreed());
  }
  const bool shares_blocks = workspace.executor.schedule().shared > 0;
  Carrier carrier = twin_.carrier(user_, rank_, goes_over_net(collective, choice), shares_blocks);
  carrier.all_wait = !collective.to_root();
  OnHost here(collective, operation, carrier, ranks_);
  if (const int code = here.fetch(); code != MPI_SUCCESS) return Ending{code, true, false};
  const std::int64_t stake = memory_at_stake(collective, operation, slot);
  const bool asks = stake > kept.granted || stake >= always;
  Ending ending = mpi::run(workspace, carrier, here.operation(), slot, asks);
  kept.granted = std::max(kept.granted, stake);
  if (asks) twin_.note_lack(ending.lacks);
  if (ending.lacks != Ending::Lack::nothing) choice.kept.pop_back();
  if (ending.lost && ending.code == MPI_SUCCESS) ending.code = code_of_loss(collective, choice);
  if (ending.code == MPI_SUCCESS) ending.code = here.deliver();
  if (ending.spoiled) here.leave_behind();
  if (ending.spoiled) spoiled_code_ = ending.code;
  return ending;
}

bool Communicator::may_run_anything() {
  return std::ranges::any_of(collectives(), [&](const Collective& collective) {
    plan(collective);
    return !plan_of(collective).is_native();
  });
}

/// A group on suiro's transport needs more memory than the reserve, so that comes later.
void Communicator::prepare_twin() {
  if (!obstacle_.empty() || job.settings.on_net) return;
  bool may_run = false;
  try {
    may_run = may_run_anything();
  } catch (const std::bad_alloc&) {
    may_run = false;  // it is made when it is needed
  }
  if (all_say(may_run, user_)) twin_.make(user_, rank_);
}

bool Communicator::is_open() const {
  const auto is_in_trial = [](const auto& choice) {
    return choice && ((choice->in_trial && choice->in_trial->times.is_open()) ||
                      (choice->challenge && choice->challenge->times.is_open()));
  };
  return std::ranges::any_of(plans_, [&](const auto& plan) {
    return plan && (plan->agreement.is_open() || std::ranges::any_of(plan->choices, is_in_trial));
  });
}

void Communicator::release() {
  for (const auto& plan : plans_) {
    if (!plan) continue;
    plan->agreement.finish(job.waiting);
    for (const auto& choice : plan->choices) {
      if (choice) release(*choice);
    }
  }
  twin_.free();
}

void Communicator::release(Choice& choice) {
  choice.kept.clear();
  if (choice.in_trial) choice.in_trial->times.finish(job.waiting);
  if (!choice.challenge) return;
  choice.challenge->times.finish(job.waiting);
  choice.challenge->rival->kept.clear();
}

}  // namespace suiro::mpi
