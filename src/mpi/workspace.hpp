// SPDX-License-Identifier: BSD-3-Clause
// What a choice keeps between its runs, so that the steady state does not allocate.
#pragma once

#include <cstddef>
#include <vector>

#include "execute/executor.hpp"
#include "mpi/mpi_transport.hpp"

namespace suiro::mpi {

class Workspace {
 public:
  Workspace(const Schedule& schedule, int rank) : executor(schedule, rank) {}

  /// Memory up to this size is kept between calls.
  static constexpr std::size_t kept_bytes = std::size_t{64} << 20;
  static void shrink(std::vector<char>& memory) {
    if (memory.size() > kept_bytes) std::vector<char>().swap(memory);
  }

  Executor executor;
  InFlight in_flight;
  std::vector<char> mirror;    // of what is sent
  std::vector<char> arrivals;  // what was received and must be unpacked
  std::vector<char> scratch;
};

/// The size of every block of a regular buffer, 0 where each has its own.
MPI_Count block_bytes_of(const UserBuffer& buffer);

}  // namespace suiro::mpi
