// SPDX-License-Identifier: BSD-3-Clause
// An ordinary program: every rank sends every other a block, checks what came, and says how long it
// took. It knows nothing of suiro.
//
//   mpicc alltoall.c -o alltoall
//   suiro run -- mpirun -np 16 ./alltoall 65536 5
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char content(int source, int target) { return (char)(7 * source + target); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 65536;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (bytes < 1 || repetitions < 1) {
    if (rank == 0) fprintf(stderr, "usage: alltoall BYTES REPETITIONS, both at least 1\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  const size_t block = (size_t)bytes;
  char* sent = malloc(block * (size_t)ranks);
  char* received = malloc(block * (size_t)ranks);
  if (sent == NULL || received == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int peer = 0; peer < ranks; ++peer)
    memset(sent + block * (size_t)peer, content(rank, peer), block);

  // The first call makes the connections.
  MPI_Alltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < repetitions; ++i)
    MPI_Alltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
  const double mine = (MPI_Wtime() - start) / repetitions;

  int wrong = 0, wrong_anywhere = 0;
  for (int peer = 0; peer < ranks; ++peer)
    for (size_t i = 0; i < block; ++i)
      wrong |= received[block * (size_t)peer + i] != content(peer, rank);
  double longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, %d bytes to each: %.3f s, %s\n", ranks, bytes, longest,
           wrong_anywhere ? "WRONG" : "right");
  free(received);
  free(sent);
  MPI_Finalize();
  return wrong_anywhere;
}
