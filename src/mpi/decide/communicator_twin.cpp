// SPDX-License-Identifier: BSD-3-Clause
// What carries suiro's messages on one of the user's communicators: the private twin, and memory
// that the ranks of a node share. Ranks make it together, and give it back before the user's goes.
#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "base/tell.hpp"
#include "mpi/carry/net_group.hpp"
#include "mpi/decide/communicator.hpp"
#include "mpi/job/job.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/reserve.hpp"

namespace suiro::mpi {

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
  if (all_say(may_run, user_)) make_twin();
}

void Communicator::make_twin() {
  constexpr int twins_max = 128;
  const ErrorsReturned returned(user_);
  if (!all_say(job.twins < twins_max && has_reserve(), user_)) {
    no_twin_ = "a rank is in 128 communicators with messages of suiro's, or has no memory left";
    return;
  }
  const bool created = create_twin();
  if (all_say(created, user_)) {
    if (!job.settings.on_net) return;
    net_ = make_net_group(twin_);
    if (all_say(net_ != nullptr, user_)) return;
  }
  free_twin();
  static std::atomic<bool> complained{false};
  no_twin_ = "no communicator is left for suiro's messages";
  if (rank_ == 0 && !complained.exchange(true)) say(std::string(no_twin_) + "; native is used");
}

/// A new communicator rather than a duplicate: the user's attributes and their callbacks are none
/// of suiro's business. Contexts can run out, which must not end the user's job, so the error is
/// only returned.
bool Communicator::create_twin() {
  MPI_Group group = MPI_GROUP_NULL;
  real.Comm_group(user_, &group);
  const bool created = real.Comm_create(user_, group, &twin_) == MPI_SUCCESS;
  real.Group_free(&group);
  if (!created) twin_ = MPI_COMM_NULL;
  if (twin_ == MPI_COMM_NULL) return false;
  ++job.twins;
  real.Comm_set_errhandler(twin_, errors_return());
  return true;
}

/// A process that dies tells nobody by a signal, so where others go on there is none.
void Communicator::make_node_memory() {
  no_node_ = "shared memory tells of no process that has failed";
  if (survives_failures()) return;
  no_node_ = "";
  if (topology_->max_ppn() == 1) return;  // nothing is shared
  try {
    node_ = NodeMemory::make(twin_, *topology_, rank_, job.waiting);
  } catch (const std::bad_alloc&) {
    node_.reset();  // as all others are told
  }
  lacks_node_ = node_ == nullptr;
}

/// All ranks have asked each other.
void Communicator::note_lack(Ending::Lack lack) {
  if (lack == Ending::Lack::nothing && node_) node_->close_to_others();
  if (lack != Ending::Lack::node_memory) return;
  no_node_ = no_node_memory;
  lacks_node_ = false;
  node_.reset();
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
      if (choice && choice->in_trial) choice->in_trial->times.finish(job.waiting);
      if (choice && choice->challenge) choice->challenge->times.finish(job.waiting);
    }
  }
  free_twin();
}

void Communicator::free_twin() {
  for (const auto& plan : plans_) {
    if (!plan) continue;
    for (const auto& choice : plan->choices) {
      if (choice) choice->kept.clear();
      if (choice && choice->challenge) choice->challenge->rival->kept.clear();
    }
  }
  net_.reset();
  node_.reset();
  no_node_.reset();
  lacks_node_ = false;
  if (twin_ == MPI_COMM_NULL) return;
  real.Comm_free(&twin_);
  --job.twins;
}

}  // namespace suiro::mpi
