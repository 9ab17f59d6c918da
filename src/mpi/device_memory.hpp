// SPDX-License-Identifier: BSD-3-Clause
// Buffers in the memory of a GPU are left to the MPI library, which knows how to reach them (an MPI
// that does not must not be given them). Nothing of CUDA or ROCm is linked or loaded: their
// runtimes are asked where a process has them already. An MPI that takes device memory has loaded
// one by the end of MPI_Init.
#pragma once

#include "mpi/user_buffer.hpp"

namespace suiro::mpi {

/// True where this process has loaded CUDA's or ROCm's runtime.
bool has_device_runtime();

/// Collective: whether any rank's buffer is in device memory, as all ranks must run the same.
/// Returns the code of an MPI error.
int find_device_memory(MPI_Comm communicator, const UserBuffer& send, const UserBuffer& receive,
                       bool& found);

}  // namespace suiro::mpi
