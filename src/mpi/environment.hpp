// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace suiro::mpi {

/// Takes this library and what belongs to it out of the environment, so that it does not follow
/// into the programs that the job starts.
void leave_environment();

}  // namespace suiro::mpi
