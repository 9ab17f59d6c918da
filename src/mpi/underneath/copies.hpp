// SPDX-License-Identifier: BSD-3-Clause
// Blocks of any datatype, copied inside this process.
#pragma once

#include "mpi/underneath/user_buffer.hpp"

namespace suiro::mpi {

/// Bytes from the first to the last that `blocks` blocks of a buffer touch, and where the first is.
struct Span {
  MPI_Aint begin = 0;  // relative to the buffer's base
  MPI_Aint bytes = 0;
};
Span span_of(const UserBuffer& buffer, int blocks);

/// True when elements of the type are bytes one after the other, and a named type: a derived one
/// can list its parts in any order and still be gapless.
bool is_plain(MPI_Datatype type);

/// The code of MPI's error where messages of the type may not be sent, as it is not committed. No
/// MPI can be asked that, but it refuses to pack nothing of it. (MPICH looks at the type of a
/// message only where there are elements.) The communicator returns errors.
int error_of_type(MPI_Datatype type, MPI_Comm communicator);

/// Of plain types. False, and nothing is done, where the source does not fit.
bool copy_plain(const Part& source, const Part& target);

/// Through MPI, which knows the types. Not on MPI_COMM_SELF, which has an error handler of its own.
int copy_typed(const Part& source, const Part& target, MPI_Comm communicator);

/// The one or the other; an error is handled as the communicator says.
int local_copy(const Part& source, const Part& target, MPI_Comm communicator);

/// Copies a block that has arrived to its place; MPI_ERR_TRUNCATE when it is longer than that.
int deliver(const Part& block, const Part& place, MPI_Comm communicator);

}  // namespace suiro::mpi
