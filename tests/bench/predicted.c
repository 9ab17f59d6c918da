// SPDX-License-Identifier: BSD-3-Clause
// Calls of which each is decided in another way: a scan of 64 KB, which is predicted, small ones,
// and an all-to-all. Exit code 1 if a sum is wrong.
#include <mpi.h>
#include <stdlib.h>

enum { largest = 16384, calls = 40 };

static int scan_is_wrong(int rank, int count) {
  static int mine[largest], sums[largest];
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  MPI_Scan(mine, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    if (sums[i] != (rank + 1) * i + rank * (rank + 1) / 2) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* blocks = calloc((size_t)(2 * size), sizeof *blocks);
  for (int i = 0; i < calls; ++i) {
    wrong |= scan_is_wrong(rank, i % 2 ? 1 : largest);
    MPI_Alltoall(blocks, 1, MPI_INT, blocks + size, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(blocks, size, MPI_INT, i % size, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(blocks);
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
