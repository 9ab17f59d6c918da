// SPDX-License-Identifier: BSD-3-Clause
// An ordinary program: in every step rank 0 gives a table to all, each rank works on its part of
// it, and all get all parts. It checks every result, says how long a step took, and knows nothing
// of suiro.
//
//   mpicc broadcast_gather.c -o broadcast_gather
//   suiro run -- mpirun -np 32 ./broadcast_gather 8192 5
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int entry(int step, int index) { return 3 * index + step; }

static int work_on(int value) { return 2 * value + 1; }

/// One step; how many results are wrong.
static int do_step(int step, int* table, int* part, int* results, int numbers, int ranks) {
  int rank = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 0 && i < numbers * ranks; ++i) table[i] = entry(step, i);
  MPI_Bcast(table, numbers * ranks, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < numbers; ++i) part[i] = work_on(table[rank * numbers + i]);
  MPI_Allgather(part, numbers, MPI_INT, results, numbers, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < numbers * ranks; ++i) wrong += results[i] != work_on(entry(step, i));
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int numbers = argc > 1 ? atoi(argv[1]) : 8192;
  const int steps = argc > 2 ? atoi(argv[2]) : 5;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (numbers < 1 || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: broadcast_gather NUMBERS_OF_A_RANK STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t bytes = sizeof(int) * (size_t)numbers;
  int* table = malloc(bytes * (size_t)ranks);
  int* part = malloc(bytes);
  int* results = malloc(bytes * (size_t)ranks);
  if (table == NULL || part == NULL || results == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  // The first step makes the connections.
  int wrong = do_step(0, table, part, results, numbers, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 1; step <= steps; ++step)
    wrong += do_step(step, table, part, results, numbers, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = (MPI_Wtime() - start) / steps;

  int wrong_anywhere = 0;
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, a table of %zu bytes: %.6f s a step, %s\n", ranks, bytes * (size_t)ranks,
           seconds, wrong_anywhere ? "WRONG" : "right");
  free(results);
  free(part);
  free(table);
  MPI_Finalize();
  return wrong_anywhere ? 1 : 0;
}
