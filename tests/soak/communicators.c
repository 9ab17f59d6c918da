// SPDX-License-Identifier: BSD-3-Clause
// What communicators cost that are made, used a few times and freed.
//
//     communicators COUNT CALLS BYTES ALIVE
//
// Makes COUNT duplicates of the world, of which ALIVE are there at a time, calls MPI_Bcast of BYTES
// on each CALLS times, and frees it. Prints microseconds per communicator on the slowest rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 5) return fprintf(stderr, "usage: communicators COUNT CALLS BYTES ALIVE\n"), 2;
  const int count = atoi(argv[1]), calls = atoi(argv[2]), bytes = atoi(argv[3]);
  const int alive = atoi(argv[4]);
  int rank = 0, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc((size_t)bytes + 1, 1);
  MPI_Comm* comms = malloc((size_t)alive * sizeof *comms);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; i++) {
    MPI_Comm* comm = &comms[i % alive];
    if (i >= alive) MPI_Comm_free(comm);
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    for (int call = 0; call < calls; call++) {
      data[bytes - 1] = (char)(rank == 0 ? i + call : -1);
      MPI_Bcast(data, bytes, MPI_BYTE, 0, *comm);
      wrong += data[bytes - 1] != (char)(i + call);
    }
  }
  double took = MPI_Wtime() - begin, longest = 0;
  for (int i = 0; i < (count < alive ? count : alive); i++) MPI_Comm_free(&comms[i]);
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.1f\n", longest / count * 1e6);
  MPI_Finalize();
  return wrong > 0;
}
