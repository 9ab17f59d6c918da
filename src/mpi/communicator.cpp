// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator.hpp"

#include <algorithm>
#include <exception>

#include "algorithms/catalog.hpp"
#include "model/bound.hpp"
#include "mpi/job.hpp"
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

}  // namespace

Communicator::Communicator(MPI_Comm communicator, const Hints& hints)
    : user_(communicator), twin_(MPI_COMM_NULL) {
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
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv}) {
    plan(collective, hints[static_cast<std::size_t>(collective)]);
  }
}

RuleTable Communicator::table_for(Collective collective, const std::string& hint) const {
  if (hint.empty()) return job.settings.table;
  const std::string name = collective_names[static_cast<std::size_t>(collective)];
  try {
    return job.settings.table.preceded_by(RuleTable::forced(name, hint));
  } catch (const std::exception& error) {
    if (rank_ == 0) say("info key suiro_" + name + ": " + error.what() + "; native is used");
    return RuleTable::forced(name, native_algorithm);
  }
}

void Communicator::plan(Collective collective, const std::string& hint) {
  const auto index = static_cast<std::size_t>(collective);
  Plan& plan = plans_[index];
  if (!obstacle_.empty()) {
    plan.choices.emplace_back();
    plan.choices[0].algorithm = native_algorithm;
    plan.choices[0].reason = obstacle_;
  } else {
    const RuleTable table = table_for(collective, hint);
    plan.thresholds = table.thresholds(collective_names[index], *topology_);
    plan.choices.push_back(make_choice(collective, 0, table));
    for (const std::int64_t bytes : plan.thresholds) {
      plan.choices.push_back(make_choice(collective, bytes, table));
    }
  }
  untouched_[index] =
      !job.settings.observed() &&
      std::ranges::all_of(plan.choices, [](const Choice& choice) { return choice.native; });
}

Choice Communicator::make_choice(Collective collective, std::int64_t bytes,
                                 const RuleTable& table) const {
  const std::string_view name = collective_names[static_cast<std::size_t>(collective)];
  Question question{name, *topology_, bytes};
  if (collective == Collective::alltoallv) question.bytes.reset();
  Choice choice;
  choice.decision = table.decide(question);
  choice.algorithm = with_parameters(choice.decision);
  choice.reason = choice.decision.reason;
  choice.native = choice.decision.algorithm == native_algorithm;
  choice.wire_blocks = alltoall_bound_s(*topology_, 1, 1.0);
  return choice;
}

Choice& Communicator::choose(Collective collective, std::int64_t bytes) {
  Plan& plan = plans_[static_cast<std::size_t>(collective)];
  const auto place = std::ranges::upper_bound(plan.thresholds, bytes);
  return plan.choices[static_cast<std::size_t>(place - plan.thresholds.begin())];
}

std::optional<int> Communicator::run(Choice& choice, const UserBuffer& send,
                                     const UserBuffer& receive, bool in_place) {
  if (spoiled_code_ != MPI_SUCCESS) return spoiled_code_;
  if (twin_ == MPI_COMM_NULL && (twin_failed_ || !make_twin())) return std::nullopt;
  if (!choice.workspace) {
    const Algorithm* algorithm = find_candidate("alltoall", choice.decision.algorithm);
    const Schedule schedule = build(*algorithm, *topology_, choice.decision.parameters);
    choice.workspace = make_workspace(schedule, rank_);
  }
  const Ending ending =
      run_schedule(*choice.workspace, twin_, send, receive, in_place, job.waiting);
  if (ending.spoiled) spoiled_code_ = ending.code;
  return ending.code;
}

/// A new communicator rather than a duplicate: the user's attributes and their callbacks are none
/// of suiro's business. Contexts can run out, which must not end the user's job, so the error is
/// only returned, and all ranks agree on the outcome.
bool Communicator::make_twin() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  real.Comm_get_errhandler(user_, &handler);
  real.Comm_set_errhandler(user_, MPI_ERRORS_RETURN);
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
  real.Comm_set_errhandler(twin_, MPI_ERRORS_RETURN);
  return true;
}

void Communicator::free_twin() {
  for (Plan& plan : plans_) {
    for (Choice& choice : plan.choices) choice.workspace.reset();
  }
  if (twin_ != MPI_COMM_NULL) real.Comm_free(&twin_);
}

}  // namespace suiro::mpi
