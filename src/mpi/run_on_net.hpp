// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule on suiro's own transport instead of the MPI's messages: for MPIs that can load no
// provider. What the transport carries are bytes: buffers of plain types are sent from where they
// are, others are packed, each rank for itself, since ranks may describe the same bytes
// differently.
#pragma once

#include <memory>
#include <string>

#include "execute/net_transport.hpp"
#include "mpi/run_schedule.hpp"

namespace suiro::mpi {

/// Why this process cannot use the transport; empty if it can, and is reachable from now on.
const std::string& net_failure();

/// Collective over `twin`, all of whose ranks can use it: how they meet. Empty if MPI fails.
std::unique_ptr<NetGroup> make_net_group(MPI_Comm twin);

/// As run_schedule.
Ending run_on_net(Workspace& workspace, const NetGroup& group, MPI_Comm twin,
                  const UserBuffer& send, const UserBuffer& receive, bool in_place);

/// Before the real MPI_Finalize: what other ranks still wait for is sent.
void leave_net();

}  // namespace suiro::mpi
