// SPDX-License-Identifier: BSD-3-Clause
// Collectives in which something goes wrong (fault_layer.c, or FAULT here), and what a careful
// program does then. Whoever gets MPI_SUCCESS has the right data, and nobody waits for ever.
// usage: faults COLLECTIVE NUMBERS ROOT CALLS
// FAULT=KIND:RANK:NUMBER
//   revoke       the rank does not come to call NUMBER, but revokes the communicator
//   memory       from call 1 on the rank has NUMBER KB of address space more than it uses
//   descriptors  the rank can open no more files
// Compiled with -D ULFM for an MPI that outlives processes: those that are left shrink the
// communicator and go on. Prints "ok, E errors" once, E of rank 0, when all came through; or what
// is wrong.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef ULFM
#include <mpi-ext.h>
#endif

enum { ranks_max = 64 };
static int rank, size, root, numbers;

/// Element i of the block from `from` to `to`.
static int element(int from, int to, int i) { return 1000003 * from + 1009 * to + i; }

static int sum(int to, int i, int first, int last) {
  int all = 0;
  for (int r = first; r < last; ++r) all += element(r, to, i);
  return all;
}

static void fill(int* buffer, int blocks) {
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < numbers; ++i) buffer[b * numbers + i] = element(rank, b, i);
  }
}

static int is(const char* collective, const char* name) { return strcmp(collective, name) == 0; }

static int call(const char* name, MPI_Comm comm, int* send, int* receive) {
  int counts[ranks_max], places[ranks_max], bytes[ranks_max];
  MPI_Datatype types[ranks_max];
  const int n = numbers;
  for (int r = 0; r < size; ++r) {
    counts[r] = n;
    places[r] = r * n;
    bytes[r] = r * n * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  if (is(name, "bcast")) return MPI_Bcast(rank == root ? send : receive, n, MPI_INT, root, comm);
  if (is(name, "reduce")) return MPI_Reduce(send, receive, n, MPI_INT, MPI_SUM, root, comm);
  if (is(name, "allreduce")) return MPI_Allreduce(send, receive, n, MPI_INT, MPI_SUM, comm);
  if (is(name, "scan")) return MPI_Scan(send, receive, n, MPI_INT, MPI_SUM, comm);
  if (is(name, "exscan")) return MPI_Exscan(send, receive, n, MPI_INT, MPI_SUM, comm);
  if (is(name, "reduce_scatter_block"))
    return MPI_Reduce_scatter_block(send, receive, n, MPI_INT, MPI_SUM, comm);
  if (is(name, "reduce_scatter"))
    return MPI_Reduce_scatter(send, receive, counts, MPI_INT, MPI_SUM, comm);
  if (is(name, "allgather")) return MPI_Allgather(send, n, MPI_INT, receive, n, MPI_INT, comm);
  if (is(name, "allgatherv"))
    return MPI_Allgatherv(send, n, MPI_INT, receive, counts, places, MPI_INT, comm);
  if (is(name, "gather")) return MPI_Gather(send, n, MPI_INT, receive, n, MPI_INT, root, comm);
  if (is(name, "gatherv"))
    return MPI_Gatherv(send, n, MPI_INT, receive, counts, places, MPI_INT, root, comm);
  if (is(name, "scatter")) return MPI_Scatter(send, n, MPI_INT, receive, n, MPI_INT, root, comm);
  if (is(name, "scatterv"))
    return MPI_Scatterv(send, counts, places, MPI_INT, receive, n, MPI_INT, root, comm);
  if (is(name, "alltoall")) return MPI_Alltoall(send, n, MPI_INT, receive, n, MPI_INT, comm);
  if (is(name, "alltoallv"))
    return MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, comm);
  if (is(name, "alltoallw"))
    return MPI_Alltoallw(send, counts, bytes, types, receive, counts, bytes, types, comm);
  if (is(name, "barrier")) return MPI_Barrier(comm);
  printf("not reached: there is no %s\n", name);
  MPI_Abort(MPI_COMM_WORLD, 2);
  return MPI_ERR_OTHER;
}

/// What element i of block b must be, once the call has succeeded.
static int expected(const char* name, int b, int i) {
  if (is(name, "bcast")) return element(root, 0, i);
  if (is(name, "scan")) return sum(0, i, 0, rank + 1);
  if (is(name, "exscan")) return sum(0, i, 0, rank);
  if (is(name, "reduce") || is(name, "allreduce")) return sum(0, i, 0, size);
  if (strncmp(name, "reduce_scatter", 14) == 0) return sum(rank, i, 0, size);
  if (strncmp(name, "scatter", 7) == 0) return element(root, rank, i);
  return element(b, strncmp(name, "alltoall", 8) == 0 ? rank : 0, i);
}

static int blocks_received(const char* name) {
  const int every = strncmp(name, "all", 3) == 0 && !is(name, "allreduce");
  if (is(name, "barrier") || (is(name, "exscan") && rank == 0)) return 0;
  if (is(name, "bcast") && rank == root) return 0;
  if ((is(name, "reduce") || strncmp(name, "gather", 6) == 0) && rank != root) return 0;
  return every || strncmp(name, "gather", 6) == 0 ? size : 1;
}

/// The error of a call that may have any; ends the job when there is none, but wrong data.
static int try_call(const char* name, MPI_Comm comm, int* send, int* receive) {
  fill(send, size);
  memset(receive, 0x77, (size_t)size * (size_t)numbers * sizeof *receive);
  const int code = call(name, comm, send, receive);
  for (int b = 0; code == MPI_SUCCESS && b < blocks_received(name); ++b) {
    for (int i = 0; i < numbers; ++i) {
      if (receive[b * numbers + i] == expected(name, b, i)) continue;
      printf("rank %d: success with wrong data: block %d, number %d\n", rank, b, i);
      fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 9);
    }
  }
  return code;
}

static void limit(int resource, rlim_t most) {
  struct rlimit set;
  getrlimit(resource, &set);
  set.rlim_cur = most;
  setrlimit(resource, &set);
}

static rlim_t used_bytes(void) {
  unsigned long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lu", &pages) != 1) exit(3);
  fclose(file);
  return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/// True when this rank does not come to the call.
static int stays_away(int number, MPI_Comm comm) {
  char kind[16] = "";
  int where = -1, value = 0;
  const char* fault = getenv("FAULT");
  if (fault == NULL || sscanf(fault, "%15[a-z]:%d:%d", kind, &where, &value) != 3) return 0;
  if (where != rank) return 0;
  if (number == 1 && is(kind, "memory")) limit(RLIMIT_AS, used_bytes() + 1024UL * (rlim_t)value);
  if (number == 0 && is(kind, "descriptors")) limit(RLIMIT_NOFILE, 3);
  if (number != value || !is(kind, "revoke")) return 0;
  usleep(20000);  // the others are in the call
#ifdef ULFM
  MPIX_Comm_revoke(comm);
#else
  (void)comm;
#endif
  return 1;
}

/// Those that are left, and a call of theirs, without a fault, which must succeed.
static void go_on(const char* name, MPI_Comm* comm, int* send, int* receive) {
  unsetenv("FAULT");
#ifdef ULFM
  MPI_Comm rest;
  if (MPIX_Comm_shrink(*comm, &rest) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 8);
  MPI_Comm_free(comm);
  *comm = rest;
  MPI_Comm_rank(rest, &rank);
  MPI_Comm_size(rest, &size);
  root = root < size ? root : 0;
#endif
  if (try_call(name, *comm, send, receive) != MPI_SUCCESS) {
    printf("rank %d: does not go on\n", rank);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 7);
  }
}

#ifdef ULFM
static void leave(int number) {
  (void)number;
  _exit(0);
}
#endif

int main(int argc, char** argv) {
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* name = argv[1];
  const int calls = atoi(argv[4]);
  numbers = atoi(argv[2]);
  root = atoi(argv[3]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* send = malloc((size_t)size * (size_t)numbers * sizeof *send);
  int* receive = malloc((size_t)size * (size_t)numbers * sizeof *receive);
  int errors = 0;
  for (int number = 0; number < calls; ++number) {
    if (stays_away(number, comm)) break;
    const int code = try_call(name, comm, send, receive);
    errors += code != MPI_SUCCESS;
#ifdef ULFM
    if (code != MPI_SUCCESS) MPIX_Comm_revoke(comm);
    if (code != MPI_SUCCESS) break;
#endif
  }
  go_on(name, &comm, send, receive);
  MPI_Barrier(comm);
  if (rank == 0) printf("ok, %d errors\n", errors);
  fflush(stdout);
  MPI_Comm_free(&comm);
#ifdef ULFM
  // MPI_Finalize of Open MPI 5.0, also without suiro, at times waits for a process that has died.
  signal(SIGALRM, leave);
  alarm(5);
#endif
  MPI_Finalize();
  return 0;
}
