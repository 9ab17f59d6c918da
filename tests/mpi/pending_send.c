// SPDX-License-Identifier: BSD-3-Clause
// A message of the program's own that is under way when one side enters a collective, while the
// other must have received it before it does. MPI has to go on with it from inside the collective.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { bytes = 4 << 20, block = 1000 };

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* message = calloc(1, bytes);
  char* blocks = calloc(2 * (size_t)ranks, block);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(message, bytes, MPI_BYTE, ranks - 1, 0, MPI_COMM_WORLD, &request);
  if (rank == ranks - 1) {
    MPI_Recv(message, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Alltoall(blocks, block, MPI_BYTE, blocks + ranks * block, block, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) puts("ok");
  free(message);
  free(blocks);
  MPI_Finalize();
  return 0;
}
