// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule over MPI point-to-point, on the private twin of the user's communicator.
#pragma once

#include <memory>

#include "mpi/user_buffer.hpp"
#include "schedule/schedule.hpp"

namespace suiro::mpi {

/// Buffers and request arrays that live as long as a communicator, so that the steady state does
/// not allocate.
class Workspace;
struct WorkspaceDeleter {
  void operator()(Workspace* workspace) const;
};
using WorkspacePointer = std::unique_ptr<Workspace, WorkspaceDeleter>;
WorkspacePointer make_workspace(const Schedule& schedule, int rank);

/// False, on all ranks alike, when blocks are too large to be merged or kept on the way.
bool can_run(const Workspace& workspace, const UserBuffer& receive);

/// How a rank waits: true when the node runs more ranks than cores, so waiting gives the core away.
struct Waiting {
  bool yield = false;
};

/// How a run ended. `undone`: it is as if it had never been started. `spoiled`: messages of it may
/// still be under way on the twin, where a later run would take them for its own.
struct Ending {
  int code = MPI_SUCCESS;
  bool undone = false;
  bool spoiled = false;
};

/// Runs the rank's part of the workspace's schedule. `twin` is the private communicator with the
/// same ranks in the same order. With `in_place`, `send` is ignored and the blocks to send are
/// those of `receive` as they are on entry. The code is MPI_SUCCESS or the first MPI error code.
Ending run_schedule(Workspace& workspace, MPI_Comm twin, const UserBuffer& send,
                    const UserBuffer& receive, bool in_place, Waiting waiting);

}  // namespace suiro::mpi
