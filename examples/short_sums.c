// SPDX-License-Identifier: BSD-3-Clause
// An ordinary program: in every step all ranks sum one number and a short vector, as solvers do. It
// checks every sum, says how long a step took, and knows nothing of suiro.
//
//   mpicc short_sums.c -o short_sums
//   suiro run -- mpirun -np 64 ./short_sums 1024 200
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// What a rank adds. Whole numbers, so that a sum is the same in every order.
static double share(int rank, int step, int index) { return (double)rank + step + 2 * index; }

/// Of all ranks.
static double sum_of(int ranks, int step, int index) {
  return 0.5 * ranks * (ranks - 1.0) + ranks * share(0, step, index);
}

/// One step; how many sums are wrong.
static int do_step(int step, double* mine, double* sums, int numbers, int rank, int ranks) {
  double one = 0;
  for (int i = 0; i < numbers; ++i) mine[i] = share(rank, step, i);
  MPI_Allreduce(mine, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(mine, sums, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int wrong = one != sum_of(ranks, step, 0);
  for (int i = 0; i < numbers; ++i) wrong += sums[i] != sum_of(ranks, step, i);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int numbers = argc > 1 ? atoi(argv[1]) : 1024;
  const int steps = argc > 2 ? atoi(argv[2]) : 200;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (numbers < 1 || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: short_sums NUMBERS STEPS, both at least 1\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  double* mine = malloc(sizeof(double) * (size_t)numbers);
  double* sums = malloc(sizeof(double) * (size_t)numbers);
  if (mine == NULL || sums == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  // The first step makes the connections.
  int wrong = do_step(0, mine, sums, numbers, rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 1; step <= steps; ++step)
    wrong += do_step(step, mine, sums, numbers, rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = (MPI_Wtime() - start) / steps;

  int wrong_anywhere = 0;
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, sums of 1 and of %d numbers: %.6f s a step, %s\n", ranks, numbers, seconds,
           wrong_anywhere ? "WRONG" : "right");
  free(sums);
  free(mine);
  MPI_Finalize();
  return wrong_anywhere ? 1 : 0;
}
