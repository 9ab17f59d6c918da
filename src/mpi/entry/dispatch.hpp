// SPDX-License-Identifier: BSD-3-Clause
// From an intercepted call to what runs: the entry points, generated from the MPI standard and the
// table of collectives, hand their arguments over in one form.
#pragma once

#include "mpi/carry/run.hpp"
#include "mpi/decide/communicators.hpp"
#include "mpi/job/job.hpp"

namespace suiro::mpi {

/// The entry of a communicator when suiro may have something to do, else nullptr. This is all that
/// a call costs when native it is.
inline Communicator* watched(MPI_Comm comm, std::size_t collective) {
  if (job.mode.load(std::memory_order_acquire) != Mode::active) return nullptr;
  Communicator* communicator = communicators.find(comm);
  if (communicator == nullptr) [[unlikely]] {
    if (comm == MPI_COMM_NULL || Communicators::is_going(comm)) return nullptr;
    communicator = &communicators.adopt(comm);
  }
  return communicator->untouched(collective) ? nullptr : communicator;
}

inline char* address(const void* buffer) { return static_cast<char*>(const_cast<void*>(buffer)); }

template <class Count>
UserBuffer equal(const void* base, Count count, MPI_Datatype type) {
  return {.base = address(base), .type = type, .count = count};
}

template <class Count>
UserBuffer counted(const void* base, const Count* counts, MPI_Datatype type) {
  return {.base = address(base), .type = type, .counts = counts};
}

template <class Count, class Displacement>
UserBuffer unequal(const void* base, const Count* counts, const Displacement* displacements,
                   MPI_Datatype type) {
  return {.base = address(base), .type = type, .counts = counts, .displacements = displacements};
}

template <class Count, class Displacement>
UserBuffer unequal(const void* base, const Count* counts, const Displacement* displacements,
                   const MPI_Datatype* types) {
  return {.base = address(base), .counts = counts, .displacements = displacements, .types = types};
}

/// Decides, then runs a schedule, or `native`, which passes the call on. Whatever looks wrong (a
/// null type, a negative count) is passed on too: the MPI library knows the right error.
int dispatch(Communicator& communicator, const Collective& collective, Operation operation,
             Native native);

/// Within a handler of exceptions, none of which may reach the program: the error of the user's
/// call, after the communicator's error handler was called.
int error_of_exception(MPI_Comm communicator) noexcept;

}  // namespace suiro::mpi
