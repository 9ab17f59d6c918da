// SPDX-License-Identifier: BSD-3-Clause
// The memory that reductions take of a process beside the user's buffers (VmHWM,
// proc_pid_status(5)). usage: reduce_memory BYTES    prints the most that it has grown by on a
// rank, in KB
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "peak_memory.h"

enum { calls = 3 };

int main(int argc, char** argv) {
  const long numbers = argc > 1 ? atol(argv[1]) / (long)sizeof(int) : 1;
  int rank, size, one = 1, ones = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* own = malloc(sizeof(int) * (size_t)numbers);
  int* sum = malloc(sizeof(int) * (size_t)numbers);
  for (long i = 0; i < numbers; ++i) own[i] = sum[i] = rank;
  // Connections, and what a library keeps for them, are there before.
  MPI_Reduce(&one, &ones, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  const long before = peak_kilobytes();
  for (int call = 0; call < calls; ++call) {
    MPI_Reduce(own, sum, (int)numbers, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  for (long i = 0; rank == 0 && i < numbers; ++i) {
    if (sum[i] != size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  long more = peak_kilobytes() - before;
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &more, &more, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld\n", more);
  free(own);
  free(sum);
  MPI_Finalize();
  return 0;
}
