// SPDX-License-Identifier: BSD-3-Clause
// Reductions, broadcasts and barriers of many sizes and roots, one right after the other, so that a
// fast rank is runs ahead of those that still read what it shared.
// usage: node_memory REPETITIONS COMMUNICATORS [NUMBERS | threads]
// Each communicator is made, used for messages of up to NUMBERS numbers, and freed. Of even ones
// ranks are in the opposite order; every third has half of the ranks, others on each node. With
// `threads` two threads do so at once, each with communicators of its own.
// Prints "ok" once.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peak_memory.h"

enum { warm_up = 1000 };       // communicators
enum { late_barriers = 100 };  // whose root comes late

static _Thread_local int rank, size, barriers;
static _Thread_local MPI_Comm comm;
static int turns, communicators, threads, numbers_max = 60000;

static void require(int condition, const char* what, int count) {
  if (condition) return;
  printf("rank %d: wrong %s of %d\n", rank, what, count);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int sum_at(int i, int turn) { return size * (i + turn) + 7 * size * (size - 1) / 2; }

static void require_sum(const int* numbers, int count, int turn, const char* what) {
  for (int i = 0; i < count; ++i) require(numbers[i] == sum_at(i, turn), what, count);
}

static void try_all(int count, int turn) {
  const int root = turn % size;
  int* own = malloc(sizeof(int) * (size_t)(count + 1));
  int* got = calloc((size_t)(count + 1), sizeof(int));
  for (int i = 0; i < count; ++i) own[i] = rank * 7 + i + turn;
  MPI_Allreduce(own, got, count, MPI_INT, MPI_SUM, comm);
  require_sum(got, count, turn, "allreduce");
  memset(got, 0, sizeof(int) * (size_t)count);
  MPI_Reduce(own, got, count, MPI_INT, MPI_SUM, root, comm);
  if (rank == root) require_sum(got, count, turn, "reduce");
  if (rank == root) memcpy(got, own, sizeof(int) * (size_t)count);
  MPI_Bcast(got, count, MPI_INT, root, comm);
  for (int i = 0; i < count; ++i) require(got[i] == root * 7 + i + turn, "bcast", count);
  memcpy(got, own, sizeof(int) * (size_t)count);
  MPI_Allreduce(MPI_IN_PLACE, got, count, MPI_INT, MPI_SUM, comm);
  require_sum(got, count, turn, "allreduce in place");
  free(own);
  free(got);
  if (turn % 5 != 0) return;
  int come = 0;
  ++barriers;
  if (rank == root && barriers < late_barriers) usleep(2000);
  MPI_Barrier(comm);
  MPI_Reduce(&barriers, &come, 1, MPI_INT, MPI_MIN, root, comm);
  if (rank == root) require(come == barriers, "barrier", 0);
}

/// Long and short ones in a row, to a root that comes late: others are ahead of it as far as may
/// be.
static void try_late_root(int turn) {
  enum { calls = 24 };
  const int root = turn % size;
  const int longest = numbers_max < 40000 ? numbers_max : 40000;
  int* own = malloc(sizeof(int) * (size_t)(longest + 1));
  int* got = malloc(sizeof(int) * (size_t)(longest + 1));
  for (int call = 0; call < calls; ++call) {
    // Each size has come once, so ranks no longer ask each other for its memory.
    if (call == 6 && rank == root) usleep(2000);
    const int count = call == 18 ? longest : 1 + call % 3 * longest / 100;
    for (int i = 0; i < count; ++i) own[i] = rank * 7 + i + call;
    MPI_Reduce(own, got, count, MPI_INT, MPI_SUM, root, comm);
    if (rank == root) require_sum(got, count, call, "reduce to a late root");
  }
  free(own);
  free(got);
}

/// Whether this process has memory in common with its node.
static int shares(void) {
  char line[512];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps))
    found |= strstr(line, "suiro-node") != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static MPI_Comm made_for(int number, MPI_Comm all) {
  MPI_Comm made;
  const int half = number % 3 == 2 && size > 3 ? rank % 2 : 0;
  MPI_Comm_split(all, half, number % 2 == 0 ? -rank : rank, &made);
  return made;
}

static void* use_all(void* given) {
  const int counts[] = {0, 1, 3, 17, 1000, 8192, 60000};
  const MPI_Comm all = *(MPI_Comm*)given;
  long peak = 0;
  for (int made = 0; made < communicators; ++made) {
    if (made == warm_up) peak = peak_kilobytes();
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    comm = made_for(made, all);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int turn = 0; turn < turns; ++turn) {
      for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        if (counts[i] <= numbers_max) try_all(counts[i], turn);
      }
      if (numbers_max > 1) try_late_root(turn);
    }
    if (made % 3 != 2) require(shares(), "shared memory before the end", made);
    MPI_Comm_free(&comm);
    if (!threads) require(!shares(), "shared memory after the end", made);
  }
  // Nothing of a communicator stays: the allocator's holes have their own limit.
  const long more = communicators > warm_up ? peak_kilobytes() - peak : 0;
  require(more < 4096, "KB more memory after many communicators", (int)more);
  return NULL;
}

static void use_all_in_two_threads(void) {
  MPI_Comm all[2];
  pthread_t other;
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
  pthread_create(&other, NULL, use_all, &all[1]);
  use_all(&all[0]);
  pthread_join(other, NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&all[i]);
}

int main(int argc, char** argv) {
  threads = argc > 3 && strcmp(argv[3], "threads") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  turns = argc > 1 ? atoi(argv[1]) : 1;
  communicators = argc > 2 ? atoi(argv[2]) : 1;
  if (argc > 3 && !threads) numbers_max = atoi(argv[3]);
  if (threads) {
    require(provided == MPI_THREAD_MULTIPLE, "level of threads", provided);
    use_all_in_two_threads();
  } else {
    MPI_Comm all = MPI_COMM_WORLD;
    use_all(&all);
  }
  require(!shares(), "shared memory after the end", communicators);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
