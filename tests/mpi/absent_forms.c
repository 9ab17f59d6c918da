// SPDX-License-Identifier: BSD-3-Clause
// Calls the large-count forms, for an MPI library that lacks them: an exchange by each, some of
// them in place, and counts that no int holds. What MPI says is not significant is garbage, which
// must not be read, nor be found too large.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ranks_max = 64 };

static int rank, size;

static void check(const char* name, const int* received) {
  for (int i = 0; i < size; ++i) {
    if (received[i] == 100 * i + rank) continue;
    printf("%s: rank %d has %d from rank %d\n", name, rank, received[i], i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void require(const char* name, int is_right) {
  if (is_right) return;
  printf("%s: wrong on rank %d\n", name, rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Rank i has 7 * i.
static int are_all(const int* numbers) {
  int right = 1;
  for (int i = 0; i < size; ++i) right = right && numbers[i] == 7 * i;
  return right;
}

static const MPI_Count huge = (MPI_Count)INT_MAX + 1;
static MPI_Count* no_counts;  // memory that nobody may read
static MPI_Aint* no_places;

static void gather(const MPI_Count* ones, const MPI_Aint* places) {
  const int own = 7 * rank, at_root = rank == 1;
  int all[ranks_max] = {0};
  MPI_Allgather_c(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  require("allgather", are_all(all));
  MPI_Allgather_c(MPI_IN_PLACE, huge, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
  require("allgather in place", are_all(all));
  memset(all, 0, sizeof all);
  MPI_Allgatherv_c(&own, 1, MPI_INT, all, ones, places, MPI_INT, MPI_COMM_WORLD);
  require("allgatherv", are_all(all));
  MPI_Allgatherv_c(MPI_IN_PLACE, huge, MPI_DATATYPE_NULL, all, ones, places, MPI_INT,
                   MPI_COMM_WORLD);
  require("allgatherv in place", are_all(all));
  memset(all, 0, sizeof all);
  MPI_Gather_c(&own, 1, MPI_INT, at_root ? all : NULL, at_root ? 1 : huge,
               at_root ? MPI_INT : MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
  require("gather", !at_root || are_all(all));
  memset(all, 0, sizeof all);
  MPI_Gatherv_c(&own, 1, MPI_INT, at_root ? all : NULL, at_root ? ones : no_counts,
                at_root ? places : no_places, at_root ? MPI_INT : MPI_DATATYPE_NULL, 1,
                MPI_COMM_WORLD);
  require("gatherv", !at_root || are_all(all));
  MPI_Gatherv_c(at_root ? MPI_IN_PLACE : &own, at_root ? huge : 1,
                at_root ? MPI_DATATYPE_NULL : MPI_INT, at_root ? all : NULL,
                at_root ? ones : no_counts, at_root ? places : no_places,
                at_root ? MPI_INT : MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
  require("gatherv in place", !at_root || are_all(all));
}

static void scatter(const int* all, const MPI_Count* ones, const MPI_Aint* places) {
  const int at_root = rank == 1;
  int own = -1;
  MPI_Scatter_c(at_root ? all : NULL, at_root ? 1 : huge, at_root ? MPI_INT : MPI_DATATYPE_NULL,
                &own, 1, MPI_INT, 1, MPI_COMM_WORLD);
  require("scatter", own == 100 + rank);
  own = -1;
  MPI_Scatterv_c(at_root ? all : NULL, at_root ? ones : no_counts, at_root ? places : no_places,
                 at_root ? MPI_INT : MPI_DATATYPE_NULL, &own, 1, MPI_INT, 1, MPI_COMM_WORLD);
  require("scatterv", own == 100 + rank);
  own = -1;
  MPI_Scatterv_c(at_root ? all : NULL, at_root ? ones : no_counts, at_root ? places : no_places,
                 at_root ? MPI_INT : MPI_DATATYPE_NULL, at_root ? MPI_IN_PLACE : &own,
                 at_root ? huge : 1, at_root ? MPI_DATATYPE_NULL : MPI_INT, 1, MPI_COMM_WORLD);
  require("scatterv in place", at_root || own == 100 + rank);
}

static void reduce(const int* all, const MPI_Count* ones) {
  const int sum = 100 * (size * (size - 1) / 2) + size * rank;
  int own = -1, first = 1;
  MPI_Reduce_scatter_block_c(all, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require("reduce_scatter_block", own == sum);
  own = -1;
  MPI_Reduce_scatter_c(all, &own, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require("reduce_scatter", own == sum);
  MPI_Scan_c(&first, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require("scan", own == rank + 1);
  MPI_Exscan_c(&first, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require("exscan", rank == 0 || own == rank);
}

static void count_errors(MPI_Comm* communicator, int* code, ...) {
  (void)communicator;
  require("error", *code == MPI_ERR_COUNT);
}

/// On every rank, before anything is sent.
static void refusals(const int* all, const MPI_Count* large, const MPI_Aint* places) {
  int received[ranks_max];
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  const int codes[] = {
      MPI_Allgather_c(all, huge, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD),
      MPI_Allgatherv_c(all, 1, MPI_INT, received, large, places, MPI_INT, MPI_COMM_WORLD),
      MPI_Gatherv_c(all, huge, MPI_INT, received, large, places, MPI_INT, 0, MPI_COMM_WORLD),
      MPI_Reduce_scatter_c(all, received, large, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
      MPI_Scan_c(all, received, huge, MPI_INT, MPI_SUM, MPI_COMM_WORLD)};
  for (int i = 0; i < (int)(sizeof codes / sizeof *codes); ++i) {
    require("refused", codes[i] == MPI_ERR_COUNT);
  }
  MPI_Errhandler_free(&handler);
}

int main(int argc, char** argv) {
  int send[ranks_max], receive[ranks_max];
  MPI_Count ones[ranks_max], large[ranks_max];
  MPI_Aint places[ranks_max], offsets[ranks_max];
  MPI_Datatype types[ranks_max];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > ranks_max) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < size; ++i) {
    send[i] = 100 * rank + i;
    ones[i] = 1;
    large[i] = huge;
    places[i] = i;
    offsets[i] = i * (MPI_Aint)sizeof(int);
    types[i] = MPI_INT;
  }
  MPI_Alltoall_c(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  check("alltoall", receive);
  memset(receive, 0, sizeof receive);
  MPI_Alltoallv_c(send, ones, places, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
  check("alltoallv", receive);
  memset(receive, 0, sizeof receive);
  MPI_Alltoallw_c(send, ones, offsets, types, receive, ones, offsets, types, MPI_COMM_WORLD);
  check("alltoallw", receive);
  memcpy(receive, send, sizeof send);
  MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_INT, receive, ones, places, MPI_INT,
                  MPI_COMM_WORLD);
  check("alltoallv in place", receive);
  no_counts = mmap(NULL, sizeof ones, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (no_counts == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 9);
  no_places = (MPI_Aint*)no_counts;
  gather(ones, places);
  scatter(send, ones, places);
  reduce(send, ones);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code =
      MPI_Alltoallv_c(send, large, places, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
  if (code != MPI_ERR_COUNT) MPI_Abort(MPI_COMM_WORLD, 3);
  refusals(send, large, places);
  if (rank == 0) puts("ok");
  return MPI_Finalize();
}
