// SPDX-License-Identifier: BSD-3-Clause
// Jobs that outlive a process of theirs: the interface that the MPI Forum calls ULFM, which Open
// MPI has from 5.0 on (`mpirun --with-ft ulfm`). There, a message of a process that failed is an
// error at its peer, and a program revokes a communicator so that nobody waits in it for ever.
// Everywhere else nothing here does anything.
#pragma once

#include "mpi/underneath/real.hpp"

namespace suiro::mpi {

/// Once, after the real MPI_Init.
void find_fault_tolerance();

/// True when a process may fail and the job goes on.
bool survives_failures();

/// Whether somebody has revoked the communicator, as far as this rank knows.
bool is_revoked(MPI_Comm communicator);

/// What MPI returns for a message of a process that failed, and on a revoked communicator. Only
/// where survives_failures().
int failed_process_code();
int revoked_code();

/// Whether the code of an error says that its peer has failed.
bool tells_failed_process(int code);

/// While suiro asks MPI for something on the user's communicator that may fail.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm communicator);
  ~ErrorsReturned();
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm communicator_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// Collective over the user's communicator, and so over when that is revoked: the bits that all
/// ranks say, or none after an error. Where a process fails meanwhile ranks may differ, as after
/// any collective; then who waits is freed by the revocation.
unsigned what_all_say(unsigned bits, MPI_Comm communicator);

/// The same for one bit: another rank may ask for others with it.
inline constexpr unsigned yes_bit = 1;
inline bool all_say(bool yes, MPI_Comm communicator) {
  return (what_all_say(yes ? yes_bit : 0, communicator) & yes_bit) != 0;
}

/// MPI_ERRORS_RETURN, after the real MPI_Init. In the standard's interface it and MPI_ERRORS_ABORT
/// have each other's values in MPICH 5.0 and Intel MPI 2021.19. What every file has before the user
/// changes it is the first.
MPI_Errhandler errors_return();

}  // namespace suiro::mpi
