// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/fault_tolerance.hpp"

#include "mpi/load.hpp"

namespace suiro::mpi {

namespace {

// Error classes of Open MPI 5 (mpi.h), which the header of 4.1 does not have.
constexpr int proc_failed = 75;
constexpr int proc_failed_pending = 76;
constexpr int revoked = 77;

struct Ulfm {
  int (*is_revoked)(MPI_Comm, int*) = nullptr;
  int (*agree)(MPI_Comm, int*) = nullptr;
};
Ulfm ulfm;

}  // namespace

void find_fault_tolerance() {
  const auto* enabled = static_cast<const bool*>(real_symbol_if_any("ompi_ftmpi_enabled"));
  if (enabled == nullptr || !*enabled) return;
  find_real_if_any("PMPIX_Comm_agree", ulfm.agree);
  if (ulfm.agree != nullptr) find_real_if_any("PMPIX_Comm_is_revoked", ulfm.is_revoked);
}

bool survives_failures() { return ulfm.is_revoked != nullptr; }

bool is_revoked(MPI_Comm communicator) {
  int flag = 0;
  return survives_failures() && ulfm.is_revoked(communicator, &flag) == MPI_SUCCESS && flag != 0;
}

int failed_process_code() { return proc_failed; }
int revoked_code() { return revoked; }

bool tells_failed_process(int code) {
  int kind = MPI_SUCCESS;
  if (code == MPI_SUCCESS || !survives_failures()) return false;
  real.Error_class(code, &kind);
  return kind == proc_failed || kind == proc_failed_pending;
}

bool all_say(bool yes, MPI_Comm communicator) {
  int mine = yes ? 1 : 0;
  int all = 0;
  if (!survives_failures()) {
    return real.Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, communicator) == MPI_SUCCESS &&
           all != 0;
  }
  // Its flag is the same on all living ranks even where it returns the error of a failed process,
  // which it does on a part of them only. A revoked communicator is another matter.
  const int code = ulfm.agree(communicator, &mine);
  return (code == MPI_SUCCESS || tells_failed_process(code)) && mine != 0;
}

}  // namespace suiro::mpi
