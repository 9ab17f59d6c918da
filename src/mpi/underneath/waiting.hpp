// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits. Where a node runs more ranks than cores, waiting gives the core away, once for
// each look. Twice, and a rank that is awaited comes later: an allgather of 8 KiB by
// recursive_doubling in `4x4-bridge` took 2.9 instead of 2.2 ms.
#pragma once

namespace suiro::mpi {

struct Waiting {
  bool yields = false;      // the node is crowded
  bool mpi_yields = false;  // the MPI does so itself when it finds nothing to do

  /// After a look that MPI was asked for.
  bool must_yield() const { return yields && !mpi_yields; }
};

/// Of this process. Open MPI yields when it was told to (mpi_yield_when_idle), or when its launcher
/// has more ranks than slots; then it is taken to know. To be called after MPI_Init.
Waiting waiting_on(int ranks_on_node);

}  // namespace suiro::mpi
