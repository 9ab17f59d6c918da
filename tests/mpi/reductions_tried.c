// SPDX-License-Identifier: BSD-3-Clause
// Sums of one size, more often than a trial lasts. Prints "right" when all were.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { calls = 600, numbers = 4096 };
  static int own[numbers], sum[numbers];
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < numbers; ++i) own[i] = rank + call + i;
    MPI_Allreduce(own, sum, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < numbers; ++i) {
      if (sum[i] == ranks * (ranks - 1) / 2 + ranks * (call + i)) continue;
      printf("rank %d: call %d: wrong sum\n", rank, call);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
