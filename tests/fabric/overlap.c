// SPDX-License-Identifier: BSD-3-Clause
// How much of a transfer hides behind a second of computation without MPI calls: 1 - wait / pure
// transfer, once where rank 1 receives and computes, and once where rank 0 sends and computes. The
// processor time besides the computation stands against that of the pure transfer.
// usage: overlap BYTES [SECONDS]
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPETITIONS = 5 };

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Gives the processor time that it took of its thread.
static double compute(double seconds) {
  const double before = now(CLOCK_THREAD_CPUTIME_ID);
  volatile double sum = 0;
  for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
    for (int i = 0; i < 1000; ++i) sum += i;
  return now(CLOCK_THREAD_CPUTIME_ID) - before;
}

typedef struct {
  double wait_s;
  double processor_s;  // of this process, but for the computation
} Cost;

/// Rank 0 sends to rank 1; `computing` computes between start and wait.
static Cost transfer(int rank, int computing, char* buffer, int bytes, double seconds) {
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  double used = -now(CLOCK_PROCESS_CPUTIME_ID), begin = MPI_Wtime();
  if (rank == 0)
    MPI_Isend(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
  if (rank == computing) {
    used -= compute(seconds);
    begin = MPI_Wtime();
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  used += now(CLOCK_PROCESS_CPUTIME_ID);
  return (Cost){MPI_Wtime() - begin, used};
}

/// The best of several, of each.
static Cost best(int rank, int computing, char* buffer, int bytes, double seconds) {
  Cost least = {1e9, 1e9};
  for (int i = 0; i < REPETITIONS; ++i) {
    const Cost cost = transfer(rank, computing, buffer, bytes, seconds);
    if (cost.wait_s < least.wait_s) least.wait_s = cost.wait_s;
    if (cost.processor_s < least.processor_s) least.processor_s = cost.processor_s;
  }
  return least;
}

static void measure(int rank, int computing, const char* what, char* buffer, int bytes,
                    double seconds) {
  const Cost pure = best(rank, -1, buffer, bytes, 0);
  const Cost hidden = best(rank, computing, buffer, bytes, seconds);
  if (rank == computing)
    printf("%s %d bytes: pure %.1f us, wait %.1f us, hidden %.3f, processor %.1f and %.1f us\n",
           what, bytes, 1e6 * pure.wait_s, 1e6 * hidden.wait_s, 1 - hidden.wait_s / pure.wait_s,
           1e6 * pure.processor_s, 1e6 * hidden.processor_s);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20;
  const double seconds = argc > 2 ? atof(argv[2]) : 1;
  char* buffer = malloc((size_t)bytes);
  memset(buffer, rank, (size_t)bytes);
  measure(rank, 1, "receive", buffer, bytes, seconds);
  measure(rank, 0, "send", buffer, bytes, seconds);
  free(buffer);
  MPI_Finalize();
  return 0;
}
