// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/job.hpp"

namespace suiro::mpi {

// Never destroyed: threads may outlive main(), and a preloaded library has no business at exit.
Job& job = *new Job;

}  // namespace suiro::mpi
