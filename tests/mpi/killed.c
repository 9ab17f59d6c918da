// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 is killed while a collective is under way: calls of 4 MB one after the other, and a timer.
// usage: killed COLLECTIVE [MILLISECONDS]
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { numbers = 1 << 20, calls = 1000000 };

static void die(int signal) {
  (void)signal;
  kill(getpid(), SIGKILL);
}

static void one_call(const char* collective, int* sent, int* received) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int block = numbers / size;
  if (strcmp(collective, "bcast") == 0) {
    MPI_Bcast(sent, numbers, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(collective, "reduce") == 0) {
    MPI_Reduce(sent, received, numbers, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (strcmp(collective, "allreduce") == 0) {
    MPI_Allreduce(sent, received, numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(collective, "allgather") == 0) {
    MPI_Allgather(sent, block, MPI_INT, received, block, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(collective, "reduce_scatter_block") == 0) {
    MPI_Reduce_scatter_block(sent, received, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(collective, "barrier") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    printf("not reached: there is no %s\n", collective);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* collective = argc > 1 ? argv[1] : "";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* sent = calloc(numbers, sizeof *sent);
  int* received = calloc(numbers, sizeof *received);
  if (rank == 1) {
    signal(SIGALRM, die);
    const int left_ms = argc > 2 ? atoi(argv[2]) : 300;
    const struct itimerval soon = {{0, 0}, {left_ms / 1000, left_ms % 1000 * 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
  }
  for (int call = 0; call < calls; ++call) one_call(collective, sent, received);
  printf("not reached\n");
  MPI_Finalize();
  return 0;
}
