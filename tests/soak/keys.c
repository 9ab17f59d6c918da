/* SPDX-License-Identifier: BSD-3-Clause
 * keys CALLS[/PHASES] COLLECTIVE:BYTES...
 * One call of each by turns, CALLS times. Prints the seconds of every call on a line per key: of
 * the rank that took longest, after all have come. Before each phase but the first rank 0 says
 * `phase` on standard error, and waits for a line. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *sent, *received;

static int call(const char* name, int bytes) {
  const int doubles = bytes / (int)sizeof(double);
  if (strcmp(name, "bcast") == 0) {
    return MPI_Bcast(sent, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  if (strcmp(name, "allgather") == 0) {
    return MPI_Allgather(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (strcmp(name, "alltoall") == 0) {
    return MPI_Alltoall(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (strcmp(name, "gather") == 0) {
    return MPI_Gather(sent, bytes, MPI_CHAR, received, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  if (strcmp(name, "reduce") == 0) {
    return MPI_Reduce(sent, received, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  if (strcmp(name, "allreduce") == 0) {
    return MPI_Allreduce(sent, received, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (strcmp(name, "reduce_scatter_block") == 0) {
    return MPI_Reduce_scatter_block(sent, received, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  fprintf(stderr, "keys: %s is none of its collectives\n", name);
  exit(2);
}

static void wait_for_a_line(void) {
  char line[8];
  fprintf(stderr, "phase\n");
  if (fgets(line, sizeof line, stdin) == NULL) fprintf(stderr, "keys: no line\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls = argc > 1 ? atoi(argv[1]) : 0;
  const char* const slash = argc > 1 ? strchr(argv[1], '/') : NULL;
  const int phases = slash != NULL ? atoi(slash + 1) : 1;
  const int keys = argc - 2;
  int largest = 8;
  int bytes[64];
  char* names[64];
  if (calls < 1 || phases < 1 || calls % phases != 0 || keys < 1 || keys > 64) {
    if (rank == 0) fprintf(stderr, "usage: keys CALLS[/PHASES] COLLECTIVE:BYTES...\n");
    MPI_Finalize();
    return 2;
  }
  for (int key = 0; key < keys; ++key) {
    names[key] = strtok(argv[key + 2], ":");
    const char* const size = strtok(NULL, ":");
    bytes[key] = size != NULL ? atoi(size) : 8;
    if (bytes[key] > largest) largest = bytes[key];
  }
  sent = calloc((size_t)ranks, (size_t)largest);
  received = calloc((size_t)ranks, (size_t)largest);
  double* seconds = calloc((size_t)(calls * keys), sizeof *seconds);
  double* longest = calloc((size_t)(calls * keys), sizeof *longest);
  for (int turn = 0; turn < calls; ++turn) {
    if (rank == 0 && turn > 0 && turn % (calls / phases) == 0) wait_for_a_line();
    for (int key = 0; key < keys; ++key) {
      PMPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      call(names[key], bytes[key]);
      seconds[key * calls + turn] = MPI_Wtime() - begin;
    }
  }
  PMPI_Reduce(seconds, longest, calls * keys, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int key = 0; rank == 0 && key < keys; ++key) {
    for (int turn = 0; turn < calls; ++turn) printf("%.9f ", longest[key * calls + turn]);
    printf("\n");
  }
  MPI_Finalize();
  free(sent);
  free(received);
  free(seconds);
  free(longest);
  return 0;
}
