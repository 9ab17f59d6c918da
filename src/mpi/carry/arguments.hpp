// SPDX-License-Identifier: BSD-3-Clause
// The arguments of an intercepted call, in the one form that Operation has.
#pragma once

#include <optional>

#include "mpi/carry/run.hpp"

namespace suiro::mpi {

/// Bytes of `count` elements; empty when they are invalid.
std::optional<std::int64_t> bytes_of(MPI_Count count, MPI_Datatype type);

/// What a rank sends in a collective whose data are one message for all ranks.
inline const UserBuffer& message_of(const Operation& operation) {
  return operation.in_place ? operation.receive : operation.send;
}

/// From the buffers as the call has them, whose arguments MPI says to ignore on some ranks, to what
/// Operation describes; and `bytes`, where this rank knows them. False: something looks wrong.
bool complete(const Collective& collective, int ranks, int rank, Operation& operation);

/// The code of MPI's error where a type of this rank's is not committed. Where there are no
/// elements it is not looked at. The communicator returns errors.
int error_of_types(const Operation& operation, int ranks, MPI_Comm communicator);

/// Bytes of the largest block, which all ranks know.
std::int64_t largest_bytes(const Operation& operation, int ranks);

/// Whether the largest block is so far above the mean that the mean says little.
bool is_uneven(const Operation& operation, int ranks);

}  // namespace suiro::mpi
