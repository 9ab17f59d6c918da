// SPDX-License-Identifier: BSD-3-Clause
// Two ranks send to each other, short and long, until a file is there. usage: exchange FILE
#include <mpi.h>
#include <unistd.h>

enum { LONG_BYTES = 1 << 20 };

static char out[LONG_BYTES], in[LONG_BYTES];

int main(int argc, char** argv) {
  int rank, ended = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (!ended) {
    for (int bytes = 1; bytes <= LONG_BYTES; bytes *= 1024)
      MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - rank, 0, in, bytes, MPI_BYTE, 1 - rank, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ended = access(argv[1], F_OK) == 0;
    MPI_Bcast(&ended, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
