// SPDX-License-Identifier: BSD-3-Clause
// What the ranks tell each other when the job starts, once, by one allgather: settings, nodes,
// sites, links, cores. All conclude the same from it.
#pragma once

namespace suiro::mpi {

/// Collective over the world, after the real MPI_Init; fills in the job. False when all ranks are
/// to run natively.
bool agree();

}  // namespace suiro::mpi
