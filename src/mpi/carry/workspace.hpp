// SPDX-License-Identifier: BSD-3-Clause
// What a choice keeps between its runs, so that the steady state does not allocate. The memory of
// runs is shared by all choices (run_memory.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/catalog.hpp"
#include "execute/executor.hpp"
#include "execute/unequal_blocks.hpp"
#include "mpi/carry/mpi_transport.hpp"

namespace suiro::mpi {

class Workspace {
 public:
  Workspace(const Schedule& schedule, int rank)
      : collective(*find_collective(schedule.collective)),
        instance{schedule.ranks, schedule.root, schedule.pieces},
        in_place(has(schedule, Property::in_place)),
        direct(has(schedule, Property::direct)),
        takes(schedule.scratch > 0 || schedule.work ? footprint(schedule, rank) : Footprint{}),
        executor(schedule, rank) {}

  const Collective& collective;
  Instance instance;
  bool in_place;    // the schedule is right where send and receive buffer are one
  bool direct;      // no rank hands on what came from another
  Footprint takes;  // of suiro's own memory
  Executor executor;
  InFlight in_flight;
  std::vector<std::int64_t> begins;      // of the blocks in all data, where they differ
  std::optional<UnequalBlocks> unequal;  // where blocks that differ are joined

 private:
  static bool has(const Schedule& schedule, Property property) {
    return declares(*find_algorithm(schedule.collective, schedule.algorithm), property);
  }
};

/// The size of every block of a regular buffer, 0 where each has its own.
MPI_Count block_bytes_of(const UserBuffer& buffer);

}  // namespace suiro::mpi
