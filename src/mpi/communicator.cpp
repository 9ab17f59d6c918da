// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator.hpp"

#include <algorithm>
#include <exception>

#include "algorithms/catalog.hpp"
#include "mpi/job.hpp"
#include "mpi/net_group.hpp"
#include "mpi/workspace.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

std::string with_parameters(const Decision& decision) {
  std::string text = decision.algorithm;
  char separator = ':';
  for (const auto& [name, value] : decision.parameters) {
    text += separator + name + "=" + std::to_string(value);
    separator = ',';
  }
  return text;
}

/// Below, a call may be over before what suiro does around it: where device memory is possible,
/// what is not native begins with a reduction. The limit is no measurement: it keeps native what
/// may be slower.
constexpr std::int64_t small_bytes = 4096;
constexpr int early_calls_max = 3;
constexpr std::string_view not_yet_predicted = "a prediction would take longer than these calls";

/// Joined are blocks that are small, or nearly equal: a few large ones among many small ones would
/// each go straight, after a schedule that moves next to nothing.
bool too_large_to_join(const BlockBytes& agreed) {
  constexpr std::int64_t always = 1024;
  constexpr std::int64_t means = 8;
  return agreed.largest > always && agreed.largest / means > agreed.mean;
}

std::string size_note(Sizes sizes) {
  return sizes == Sizes::known ? "by the mean size: " : "by the agreed size: ";
}

/// Nobody asked for it.
bool is_predicted(const Decision& decision) {
  return decision.algorithm != native_algorithm && decision.reason.starts_with("predicted");
}

/// The bytes for which a size from `first` on is predicted.
std::int64_t predicted_for(std::int64_t first) { return size_class(first).middle; }

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

Communicator::Communicator(MPI_Comm communicator, Hints hints)
    : user_(communicator),
      twin_(MPI_COMM_NULL),
      hints_(std::move(hints)),
      plans_(collectives().size()) {
  int is_inter = 0;
  if (real.Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS || is_inter != 0) {
    obstacle_ = shape_ = "intercommunicator";
  } else {
    real.Comm_size(communicator, &ranks_);
    real.Comm_rank(communicator, &rank_);
    first_world_rank_ = job.placement.first_world_rank(communicator);
    topology_ = job.placement.of(communicator);
    shape_ = topology_ ? topology_->describe() : std::to_string(ranks_) + " ranks";
    if (!topology_) {
      obstacle_ = "processes that were started later";
    } else if (topology_->nodes() == 1) {
      obstacle_ = "one node: nothing crosses the network";
    }
  }
  if (obstacle_.empty() || job.settings.observed()) return;
  untouched_ = ~std::uint64_t{0};
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
  place = std::make_unique<Plan>();
  if (!obstacle_.empty()) {
    place->choices.emplace_back();
    place->choices[0].algorithm = native_algorithm;
    place->choices[0].reason = obstacle_;
  } else {
    plan_sizes(collective, table_for(collective), *place);
  }
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
  const bool all_said = table.decide({collective.name, *topology_, 0}).has_value() &&
                        std::ranges::all_of(sizes, [&](std::int64_t bytes) {
                          return table.decide({collective.name, *topology_, bytes}).has_value();
                        });
  const std::int64_t least = least_bytes(collective, *topology_);
  if (!all_said && least < largest) {
    sizes.push_back(least);
    for (std::int64_t next = size_class(least).last + 1; next < largest;
         next = size_class(next).last + 1) {
      sizes.push_back(next);
    }
  }
  if (job.devices && !sizes.empty()) sizes.push_back(small_bytes);
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  return sizes;
}

void Communicator::plan_sizes(const Collective& collective, const RuleTable& table,
                              Plan& plan) const {
  plan.thresholds = thresholds(collective, table);
  const bool by_size = collective.unequal() && !plan.thresholds.empty();
  const std::string note = by_size ? size_note(collective.sizes) : "";
  plan.choices.push_back(make_choice(collective, 0, table, note));
  for (const std::int64_t bytes : plan.thresholds) {
    plan.choices.push_back(make_choice(collective, bytes, table, note));
  }
  plan.too_early.algorithm = native_algorithm;
  plan.too_early.reason = "the first small calls";
  plan.too_early.wire_blocks = plan.choices.front().wire_blocks;
  plan.agrees = collective.sizes == Sizes::own &&
                (by_size || joins_unequal(collective, plan.choices.front()));
  if (!by_size) return;
  plan.unagreed = make_choice(
      collective, std::nullopt, table,
      collective.sizes == Sizes::own ? "no size agreed on yet: " : "only the root knows sizes: ");
  plan.too_uneven = make_choice(collective, std::nullopt, table, "blocks too uneven for a size: ");
}

/// Blocks that differ are joined: ranks have to know how large they are.
bool Communicator::joins_unequal(const Collective& collective, const Choice& choice) const {
  if (choice.native || collective.sizes != Sizes::own) return false;
  return !declares(*find_candidate(collective.name, choice.decision.algorithm), Property::direct);
}

Choice Communicator::make_choice(const Collective& collective, std::optional<std::int64_t> bytes,
                                 const RuleTable& table, const std::string& size_note) const {
  Choice choice;
  choice.wire_blocks = bound_s(collective, *topology_, 1, 1.0);
  choice.reason = size_note;
  if (auto said = table.decide({collective.name, *topology_, bytes})) {
    settle(collective, choice, std::move(*said));
    return choice;
  }
  const bool open = bytes && *bytes >= least_bytes(collective, *topology_);
  settle(collective, choice,
         {std::string(native_algorithm),
          {},
          open    ? std::string(not_yet_predicted)
          : bytes ? "too few bytes to matter"
                  : "no size, no prediction"});
  if (open) choice.asked_bytes = predicted_for(*bytes);
  return choice;
}

/// `choice.reason` already says what its size is.
void Communicator::settle(const Collective& collective, Choice& choice, Decision decision) const {
  set_wan_flows(decision, collective, *topology_);
  choice.decision = std::move(decision);
  choice.algorithm = with_parameters(choice.decision);
  choice.reason += choice.decision.reason;
  choice.native = choice.decision.algorithm == native_algorithm;
}

/// Once native's calls have taken as long as the prediction will. Reductions by another algorithm
/// may differ in their last bits, so that no size of them changes its algorithm within a job: what
/// a few calls would not pay for stays native.
void Communicator::predict(const Collective& collective, Plan& plan, Choice& choice) {
  constexpr double calls_that_pay = 20;
  const std::int64_t bytes = *choice.asked_bytes;
  const double call_s = bound_s(collective, *topology_, bytes, job.link.Bps);
  const double price_s = job.chooser->price_s(collective, *topology_);
  if (collective.reduces) {
    if (call_s * calls_that_pay < price_s) return;
  } else {
    plan.waiting = &choice;
    choice.waited_s += call_s;
    if (choice.waited_s < price_s) return;
  }
  plan.waiting = nullptr;
  Decision decision = job.chooser->choose(collective, *topology_, bytes);
  if (job.devices && bytes < small_bytes && is_predicted(decision)) {
    decision = {std::string(native_algorithm),
                {},
                "to agree on whose buffers are in device memory takes as long"};
  }
  choice.asked_bytes.reset();
  choice.reason.erase(choice.reason.size() - not_yet_predicted.size());
  choice.patient = is_predicted(decision) && bytes < small_bytes;
  settle(collective, choice, std::move(decision));
  leave_small_untouched(plan);
}

Choice& Communicator::choose(const Collective& collective, std::int64_t bytes) {
  Plan& plan = plan_of(collective);
  const auto place = std::ranges::upper_bound(plan.thresholds, bytes);
  Choice& choice = plan.choices[static_cast<std::size_t>(place - plan.thresholds.begin())];
  plan.waiting = nullptr;
  if (choice.asked_bytes) predict(collective, plan, choice);
  return choice;
}

Choice& Communicator::choose_and_count(const Collective& collective, std::int64_t bytes,
                                       bool uneven) {
  Plan& plan = plan_of(collective);
  const bool unsuited = uneven && !plan.thresholds.empty();
  Choice& choice = unsuited ? plan.too_uneven : choose(collective, bytes);
  plan.was_early = choice.patient && twin_ == MPI_COMM_NULL && plan.early_calls < early_calls_max;
  if (!plan.was_early) return choice;
  ++plan.early_calls;
  return plan.too_early;
}

Choice& Communicator::choose(const Collective& collective) {
  Plan& plan = plan_of(collective);
  if (plan.thresholds.empty()) return plan.choices.front();
  const std::optional<BlockBytes>& agreed = plan.agreement.agreed();
  if (!agreed) return plan.unagreed;
  if (agreed->mean == uneven) return plan.too_uneven;
  Choice& choice = choose(collective, agreed->mean);
  const bool spoilt = joins_unequal(collective, choice) && too_large_to_join(*agreed);
  return spoilt ? plan.too_uneven : choice;
}

int Communicator::agree_on_size(const Collective& collective, const UserBuffer& send,
                                const UserBuffer& receive) {
  Plan& plan = plan_of(collective);
  if (!plan.agrees) return MPI_SUCCESS;
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
  Plan& plan = plan_of(collective);
  if (plan.agrees) plan.agreement.take_back();
  if (plan.was_early) --plan.early_calls;
  plan.was_early = false;
  if (plan.waiting != nullptr) {
    const std::int64_t bytes = *plan.waiting->asked_bytes;
    plan.waiting->waited_s -= bound_s(collective, *topology_, bytes, job.link.Bps);
    plan.waiting = nullptr;
  }
}

Workspace& Communicator::workspace_for(const Collective& collective, Choice& choice,
                                       const Operation& operation) const {
  constexpr std::size_t kept_max = 4;
  const int root = collective.rooted ? operation.root : 0;
  const std::int64_t bytes =
      collective.cut() ? collective.cut_bytes(operation.bytes.value_or(0), ranks_) : 0;
  const auto found = std::ranges::find_if(choice.kept, [&](const Choice::Kept& kept) {
    return kept.root == root && kept.bytes == bytes;
  });
  if (found != choice.kept.end()) {
    std::rotate(found, found + 1, choice.kept.end());
    return *choice.kept.back().workspace;
  }
  if (choice.kept.size() == kept_max) choice.kept.erase(choice.kept.begin());
  const Algorithm& algorithm = *find_candidate(collective.name, choice.decision.algorithm);
  const Call call{.topology = *topology_, .root = root, .bytes = bytes, .link = job.link};
  const Schedule schedule = build(algorithm, call, choice.decision.parameters);
  choice.kept.push_back({root, bytes, make_workspace(schedule, rank_)});
  return *choice.kept.back().workspace;
}

std::optional<Ending> Communicator::run(const Collective& collective, Choice& choice,
                                        const Operation& operation) {
  if (spoiled_code_ != MPI_SUCCESS) return Ending{spoiled_code_};
  if (twin_ == MPI_COMM_NULL && (twin_failed_ || !make_twin())) return std::nullopt;
  Workspace& workspace = workspace_for(collective, choice, operation);
  const bool joins = joins_unequal(collective, choice);
  const bool on_net = net_ != nullptr && !joins;
  if (!joins && !can_run(workspace, operation, on_net)) return std::nullopt;
  std::optional<std::size_t> slot;
  if (joins) slot = slot_bytes(workspace, plan_of(collective).agreement.agreed());
  const Ending ending = mpi::run(
      workspace, {twin_, on_net ? net_.get() : nullptr, job.waiting, rank_}, operation, slot);
  if (ending.spoiled) spoiled_code_ = ending.code;
  return ending;
}

/// A new communicator rather than a duplicate: the user's attributes and their callbacks are none
/// of suiro's business. Contexts can run out, which must not end the user's job, so the error is
/// only returned, and all ranks agree on the outcome.
bool Communicator::make_twin() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  real.Comm_get_errhandler(user_, &handler);
  real.Comm_set_errhandler(user_, job.errors_return);
  real.Comm_group(user_, &group);
  int failed = real.Comm_create(user_, group, &twin_) != MPI_SUCCESS ? 1 : 0;
  real.Group_free(&group);
  int any_failed = 1;
  real.Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, user_);
  real.Comm_set_errhandler(user_, handler);
  real.Errhandler_free(&handler);
  if (failed != 0) twin_ = MPI_COMM_NULL;
  if (any_failed != 0) {
    free_twin();
    twin_failed_ = true;
    if (rank_ == 0) say("no communicator is left for suiro's messages; native is used");
    return false;
  }
  real.Comm_set_errhandler(twin_, job.errors_return);
  if (job.settings.on_net) net_ = make_net_group(twin_);
  return true;
}

void Communicator::release() {
  for (const auto& plan : plans_) {
    if (plan) plan->agreement.finish(job.waiting);
  }
  free_twin();
}

void Communicator::free_twin() {
  for (const auto& plan : plans_) {
    if (!plan) continue;
    for (Choice& choice : plan->choices) choice.kept.clear();
    plan->unagreed.kept.clear();
    plan->too_uneven.kept.clear();
  }
  if (twin_ != MPI_COMM_NULL) real.Comm_free(&twin_);
}

}  // namespace suiro::mpi
