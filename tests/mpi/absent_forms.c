// SPDX-License-Identifier: BSD-3-Clause
// Calls the large-count forms, for an MPI library that lacks them: an exchange by each, one of them
// in place, and a count that no int holds.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ranks_max = 64 };

static int rank, size;

static void check(const char* name, const int* received) {
  for (int i = 0; i < size; ++i) {
    if (received[i] == 100 * i + rank) continue;
    printf("%s: rank %d has %d from rank %d\n", name, rank, received[i], i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int send[ranks_max], receive[ranks_max];
  MPI_Count ones[ranks_max], large[ranks_max];
  MPI_Aint places[ranks_max], offsets[ranks_max];
  MPI_Datatype types[ranks_max];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > ranks_max) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < size; ++i) {
    send[i] = 100 * rank + i;
    ones[i] = 1;
    large[i] = (MPI_Count)INT_MAX + 1;
    places[i] = i;
    offsets[i] = i * (MPI_Aint)sizeof(int);
    types[i] = MPI_INT;
  }
  MPI_Alltoall_c(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  check("alltoall", receive);
  memset(receive, 0, sizeof receive);
  MPI_Alltoallv_c(send, ones, places, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
  check("alltoallv", receive);
  memset(receive, 0, sizeof receive);
  MPI_Alltoallw_c(send, ones, offsets, types, receive, ones, offsets, types, MPI_COMM_WORLD);
  check("alltoallw", receive);
  memcpy(receive, send, sizeof send);
  MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_INT, receive, ones, places, MPI_INT,
                  MPI_COMM_WORLD);
  check("alltoallv in place", receive);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code =
      MPI_Alltoallv_c(send, large, places, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
  if (code != MPI_ERR_COUNT) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 0) puts("ok");
  return MPI_Finalize();
}
