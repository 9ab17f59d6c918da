// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/reduction.hpp"

#include <sched.h>

#include <algorithm>

namespace suiro::mpi {

int Reduction::start(std::span<const std::int64_t> mine, MPI_Op operation, MPI_Comm communicator) {
  count_ = mine.size();
  std::ranges::copy(mine, mine_.begin());
  return real.Iallreduce(mine_.data(), of_all_.data(), static_cast<int>(count_), MPI_INT64_T,
                         operation, communicator, &request_);
}

int Reduction::finish(Waiting waiting) {
  if (!is_open()) return MPI_SUCCESS;
  if (!waiting.must_yield()) return real.Wait(&request_, MPI_STATUS_IGNORE);
  while (true) {
    int done = 0;
    const int code = real.Test(&request_, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done != 0) return code;
    sched_yield();
  }
}

}  // namespace suiro::mpi
