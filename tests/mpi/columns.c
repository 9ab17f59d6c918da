// SPDX-License-Identifier: BSD-3-Clause
// Each rank of a node is in a communicator of its own, as splits for pencils leave them: two nodes.
#include <mpi.h>
#include <stdlib.h>

enum { bytes = 1 << 16 };

int main(int argc, char** argv) {
  int rank, size;
  MPI_Comm column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int local = rank % (size / 2);
  MPI_Comm_split(MPI_COMM_WORLD, local, rank, &column);
  char* from = calloc(2, bytes);
  char* to = calloc(2, bytes);
  MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, column);
  if (local == 0) MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, column);
  MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 1, column);
  MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, local, column);
  free(from);
  free(to);
  MPI_Comm_free(&column);
  MPI_Finalize();
  return 0;
}
