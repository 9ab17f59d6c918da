// SPDX-License-Identifier: BSD-3-Clause
// What a choice keeps between its runs, so that the steady state does not allocate.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/catalog.hpp"
#include "execute/executor.hpp"
#include "execute/unequal_blocks.hpp"
#include "mpi/mpi_transport.hpp"

namespace suiro::mpi {

class Workspace {
 public:
  Workspace(const Schedule& schedule, int rank)
      : collective(*find_collective(schedule.collective)),
        instance{schedule.ranks, schedule.root, schedule.pieces},
        in_place(has(schedule, Property::in_place)),
        direct(has(schedule, Property::direct)),
        executor(schedule, rank) {}

  /// Memory up to this size is kept between calls.
  static constexpr std::size_t kept_bytes = std::size_t{64} << 20;
  static void shrink(std::vector<char>& memory) {
    if (memory.size() > kept_bytes) std::vector<char>().swap(memory);
  }
  void shrink() {
    for (std::vector<char>* memory : {&mirror, &arrivals, &scratch}) shrink(*memory);
    if (work.size() > kept_bytes) work = {};
    if (unequal && unequal->bytes() > kept_bytes) unequal.reset();
  }

  /// Sends that were let go may read it for ever after.
  void leave_behind() {
    for (std::vector<char>* memory : {&mirror, &scratch, &arrivals})
      (new std::vector<char>)->swap(*memory);
    new RawBytes(std::move(work));
    work = {};
    if (unequal) new UnequalBlocks(std::move(*unequal));
    unequal.reset();
  }

  const Collective& collective;
  Instance instance;
  bool in_place;  // the schedule is right where send and receive buffer are one
  bool direct;    // no rank hands on what came from another
  Executor executor;
  InFlight in_flight;
  std::vector<char> mirror;    // of what is sent
  std::vector<char> arrivals;  // what was received and must be unpacked
  std::vector<char> scratch;
  RawBytes work;
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
