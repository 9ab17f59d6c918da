// SPDX-License-Identifier: BSD-3-Clause
// suiro's own transport instead of the MPI's messages: for MPIs that can load no provider.
#pragma once

#include <memory>
#include <string>

#include "execute/net_transport.hpp"
#include "mpi/underneath/real.hpp"

namespace suiro::mpi {

/// Why this process cannot use the transport; empty if it can, and is reachable from now on.
const std::string& net_failure();

/// Collective over `twin`, all of whose ranks can use it: how they meet. Empty if MPI fails.
std::unique_ptr<NetGroup> make_net_group(MPI_Comm twin);

/// Before the real MPI_Finalize: what other ranks still wait for is sent.
void leave_net();

}  // namespace suiro::mpi
