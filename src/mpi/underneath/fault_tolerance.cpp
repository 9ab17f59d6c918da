// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/fault_tolerance.hpp"

#include "mpi/underneath/load.hpp"

namespace suiro::mpi {

namespace {

// Error classes of Open MPI 5 (mpi.h), which the header of 4.1 does not have.
constexpr int proc_failed = 75;
constexpr int proc_failed_pending = 76;
constexpr int revoked = 77;

int (*comm_is_revoked)(MPI_Comm, int*) = nullptr;

MPI_Errhandler find_errors_return() {
  MPI_Errhandler found = MPI_ERRORS_RETURN;
#ifdef MPI_ABI_VERSION
  using Question = int (*)(MPI_File, MPI_Errhandler*);
  const auto ask = reinterpret_cast<Question>(real_symbol_if_any("PMPI_File_get_errhandler"));
  if (ask == nullptr || ask(MPI_FILE_NULL, &found) != MPI_SUCCESS) found = MPI_ERRORS_RETURN;
#endif
  return found;
}

}  // namespace

void find_fault_tolerance() {
  const auto* enabled = static_cast<const bool*>(real_symbol_if_any("ompi_ftmpi_enabled"));
  if (enabled == nullptr || !*enabled) return;
  find_real_if_any("PMPIX_Comm_is_revoked", comm_is_revoked);
}

bool survives_failures() { return comm_is_revoked != nullptr; }

bool is_revoked(MPI_Comm communicator) {
  int flag = 0;
  return survives_failures() && comm_is_revoked(communicator, &flag) == MPI_SUCCESS && flag != 0;
}

int failed_process_code() { return proc_failed; }
int revoked_code() { return revoked; }

bool tells_failed_process(int code) {
  int kind = MPI_SUCCESS;
  if (code == MPI_SUCCESS || !survives_failures()) return false;
  real.Error_class(code, &kind);
  return kind == proc_failed || kind == proc_failed_pending;
}

ErrorsReturned::ErrorsReturned(MPI_Comm communicator) : communicator_(communicator) {
  real.Comm_get_errhandler(communicator_, &handler_);
  real.Comm_set_errhandler(communicator_, errors_return());
}

ErrorsReturned::~ErrorsReturned() {
  real.Comm_set_errhandler(communicator_, handler_);
  real.Errhandler_free(&handler_);
}

unsigned what_all_say(unsigned bits, MPI_Comm communicator) {
  const ErrorsReturned returned(communicator);
  unsigned all = 0;
  const int code = real.Allreduce(&bits, &all, 1, MPI_UNSIGNED, MPI_BAND, communicator);
  return code == MPI_SUCCESS ? all : 0;
}

MPI_Errhandler errors_return() {
  static const MPI_Errhandler found = find_errors_return();
  return found;
}

}  // namespace suiro::mpi
