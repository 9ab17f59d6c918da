// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI library that once refuses a message of rank 1: the one that FAILING_SEND counts
// (1: the first) of those of more than 64 elements and on communicators other than the world.
// Loaded behind suiro, whose own messages it thereby meets.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static int seen;
  int (*next)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Isend");
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* failing = getenv("FAILING_SEND");
  if (rank == 1 && comm != MPI_COMM_WORLD && count > 64 && failing && ++seen == atoi(failing)) {
    return MPI_ERR_OTHER;
  }
  return next(buffer, count, type, target, tag, comm, request);
}
