// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI whose own MPI_Alltoall takes long, behind which suiro is loaded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

int PMPI_Alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  enum { long_us = 20000 };
  int (*next)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Alltoall");
  usleep(long_us);
  return next(send, count, type, receive, receive_count, receive_type, comm);
}

// As in an MPI: else it would be taken for a profiler.
int MPI_Alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) __attribute__((alias("PMPI_Alltoall")));
