// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/decide/twin.hpp"

#include <atomic>
#include <new>
#include <string>

#include "base/tell.hpp"
#include "mpi/job/job.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/reserve.hpp"

namespace suiro::mpi {

void Twin::make(MPI_Comm user, int rank) {
  constexpr int twins_max = 128;
  const ErrorsReturned returned(user);
  if (!all_say(job.twins < twins_max && has_reserve(), user)) {
    obstacle_ = "a rank is in 128 communicators with messages of suiro's, or has no memory left";
    return;
  }
  const bool created = create(user);
  if (all_say(created, user)) {
    if (!job.settings.on_net) return;
    net_ = make_net_group(communicator_);
    if (all_say(net_ != nullptr, user)) return;
  }
  free();
  static std::atomic<bool> complained{false};
  obstacle_ = "no communicator is left for suiro's messages";
  if (rank == 0 && !complained.exchange(true)) say(std::string(obstacle_) + "; native is used");
}

/// A new communicator rather than a duplicate: the user's attributes and their callbacks are none
/// of suiro's business. Contexts can run out, which must not end the user's job, so the error is
/// only returned.
bool Twin::create(MPI_Comm user) {
  MPI_Group group = MPI_GROUP_NULL;
  real.Comm_group(user, &group);
  const bool created = real.Comm_create(user, group, &communicator_) == MPI_SUCCESS;
  real.Group_free(&group);
  if (!created) communicator_ = MPI_COMM_NULL;
  if (!is_made()) return false;
  ++job.twins;
  real.Comm_set_errhandler(communicator_, errors_return());
  return true;
}

std::string_view Twin::prepare_node_memory(const Topology& topology, int rank) {
  if (!no_node_) make_node_memory(topology, rank);
  return *no_node_;
}

/// A process that dies tells nobody by a signal, so where others go on there is none.
void Twin::make_node_memory(const Topology& topology, int rank) {
  no_node_ = "shared memory tells of no process that has failed";
  if (survives_failures()) return;
  no_node_ = "";
  if (topology.max_ppn() == 1) return;  // nothing is shared
  try {
    node_ = NodeMemory::make(communicator_, topology, rank, job.waiting);
  } catch (const std::bad_alloc&) {
    node_.reset();  // as all others are told
  }
  lacks_node_ = node_ == nullptr;
}

void Twin::note_lack(Ending::Lack lack) {
  if (lack == Ending::Lack::nothing && node_) node_->close_to_others();
  if (lack != Ending::Lack::node_memory) return;
  no_node_ = no_node_memory;
  lacks_node_ = false;
  node_.reset();
}

Carrier Twin::carrier(MPI_Comm user, int rank, bool over_net, bool shares_blocks) const {
  return {.user = user,
          .twin = communicator_,
          .net = over_net ? net_.get() : nullptr,
          .node = shares_blocks ? node_.get() : nullptr,
          .lacks_node = lacks_node_,
          .waiting = job.waiting,
          .rank = rank};
}

void Twin::free() {
  net_.reset();
  node_.reset();
  no_node_.reset();
  lacks_node_ = false;
  if (!is_made()) return;
  real.Comm_free(&communicator_);
  --job.twins;
}

}  // namespace suiro::mpi
