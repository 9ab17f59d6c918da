// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are ahead of a root: it begins a row of short reductions only when another rank of its
// node has told it that it has made them all. Their sizes never repeat.
// Prints "ok" once; a rank that has to wait for the root in one of them waits for ever.
// usage: ahead CALLS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { least = 512, most = 1024, rows = 3 };

static int rank, size;

static void reduce(int count) {
  static int own[most], got[most];
  for (int i = 0; i < count; ++i) own[i] = rank + i + count;
  MPI_Reduce(own, got, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < count; ++i) {
    if (got[i] == size * (i + count) + size * (size - 1) / 2) continue;
    printf("element %d of %d: %d\n", i, count, got[i]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  const int calls = argc > 1 ? atoi(argv[1]) : 1;
  int made = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // Ranks decide and ask each other in the first calls of a kind.
  for (int count = least; count <= most; count += 16) reduce(count);
  for (int row = 0; row < rows; ++row) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&made, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int call = 0; call < calls; ++call) reduce(least + 1 + 37 * (row * calls + call) % 511);
    if (rank == 1) MPI_Send(&calls, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
