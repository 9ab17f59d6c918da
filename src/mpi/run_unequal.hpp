// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule that joins blocks where blocks differ (execute/unequal_blocks.hpp), over MPI
// point-to-point.
#pragma once

#include <cstddef>
#include <optional>

#include "mpi/run_schedule.hpp"
#include "mpi/size_agreement.hpp"

namespace suiro::mpi {

/// How large a block may be to be joined with others; the same on all ranks. Room for twice what
/// the ranks agreed on, but not for single blocks far above the mean; and for 2 KB where that is
/// little memory: sizes grow, and a slot that is not full costs nothing on the way.
std::size_t slot_bytes(const Workspace& workspace, const std::optional<BlockBytes>& agreed);

/// As run_schedule(). Blocks above `slot_capacity` bytes, which is the same on all ranks, go
/// straight.
Ending run_unequal(Workspace& workspace, int rank, std::size_t slot_capacity, MPI_Comm twin,
                   const UserBuffer& send, const UserBuffer& receive, bool in_place,
                   Waiting waiting);

}  // namespace suiro::mpi
