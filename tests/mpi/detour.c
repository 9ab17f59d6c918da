// SPDX-License-Identifier: BSD-3-Clause
// A profiler that finds what comes after itself, and so goes past suiro where it stands behind it.
// NEXT is what it looks for: "MPI_" or "PMPI_".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int alltoall_calls;

#define CALL_NEXT(name, ...)                               \
  int (*next)() = (int (*)())dlsym(RTLD_NEXT, NEXT #name); \
  return next(__VA_ARGS__)

int MPI_Init(int* argc, char*** argv) { CALL_NEXT(Init, argc, argv); }

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  CALL_NEXT(Comm_dup_with_info, comm, info, newcomm);
}

int MPI_Comm_free(MPI_Comm* comm) { CALL_NEXT(Comm_free, comm); }

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  ++alltoall_calls;
  CALL_NEXT(Alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Finalize(void) {
  printf("detour: %d alltoall\n", alltoall_calls);
  CALL_NEXT(Finalize);
}
