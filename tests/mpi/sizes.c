// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv or MPI_Alltoallw again and again, so that ranks agree on sizes; what arrives is
// verified. usage: sizes v|w WHAT CALLS BYTES, or sizes a WHAT CALLS BYTES for MPI_Alltoall, where
// WHAT is equal or duplicate
//   equal       every block has BYTES
//   duplicate   likewise, on a duplicate of MPI_COMM_WORLD
//   idle        every block has BYTES, but those to and from rank 0 have 8
//   even        every block has BYTES, every other one half of that more, every other one half less
//   sparse      all bytes go to every other rank
//   shrinking   BYTES, and after half of the calls 1 byte
//   refused     as even, and every third call of rank 1 is refused by MPI and made again
//   freed       as even, on CALLS communicators that live for 0, 1, 2, ... calls
//   threads     as even, in 4 threads with a communicator each
// Prints "ok".
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, calls, is_w, is_a;
static long bytes;
static const char* what;

static int block(int from, int to, int call) {
  if (strcmp(what, "equal") == 0 || strcmp(what, "duplicate") == 0) return (int)bytes;
  if (strcmp(what, "idle") == 0) return from == 0 || to == 0 ? 8 : (int)bytes;
  if (strcmp(what, "sparse") == 0) return (from + to) % 2 == 0 ? (int)bytes : 0;
  if (strcmp(what, "shrinking") == 0 && call >= calls / 2) return 1;
  return (int)(bytes + ((from + to) % 2 == 0 ? bytes / 2 : -(bytes / 2)));
}

typedef struct {
  int *sent, *received, *sent_at, *received_at;
  MPI_Datatype* types;
  char *from, *to;
  int total;
} Call;

static Call prepare(int call) {
  Call c;
  int sent = 0;
  c.total = 0;
  c.sent = malloc(4 * (size_t)size * sizeof(int));
  c.received = c.sent + size;
  c.sent_at = c.received + size;
  c.received_at = c.sent_at + size;
  c.types = malloc((size_t)size * sizeof *c.types);
  for (int i = 0; i < size; ++i) {
    c.sent[i] = block(rank, i, call);
    c.received[i] = block(i, rank, call);
    c.sent_at[i] = sent;
    c.received_at[i] = c.total;
    c.types[i] = MPI_BYTE;
    sent += c.sent[i];
    c.total += c.received[i];
  }
  c.from = malloc((size_t)sent + 1);
  c.to = calloc((size_t)c.total + 1, 1);
  for (int i = 0; i < size; ++i) {
    memset(c.from + c.sent_at[i], 16 * rank + i + call, (size_t)c.sent[i]);
  }
  return c;
}

static int exchange(const Call* c, MPI_Comm comm) {
  if (is_a) return MPI_Alltoall(c->from, (int)bytes, MPI_BYTE, c->to, (int)bytes, MPI_BYTE, comm);
  return is_w ? MPI_Alltoallw(c->from, c->sent, c->sent_at, c->types, c->to, c->received,
                              c->received_at, c->types, comm)
              : MPI_Alltoallv(c->from, c->sent, c->sent_at, MPI_BYTE, c->to, c->received,
                              c->received_at, MPI_BYTE, comm);
}

/// MPI refuses a wrong count or type at once, and on this rank only.
static void be_refused(const Call* c, MPI_Comm comm) {
  const int count = c->sent[0];
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  c->sent[0] = -1;
  if (exchange(c, comm) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
  c->sent[0] = count;
  for (int i = 0; i < size; ++i) c->types[i] = MPI_DATATYPE_NULL;
  if (is_w && exchange(c, comm) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 4);
  for (int i = 0; i < size; ++i) c->types[i] = MPI_BYTE;
}

static void call_once(int call, MPI_Comm comm) {
  Call c = prepare(call);
  if (strcmp(what, "refused") == 0 && rank == 1 && call % 3 == 0) be_refused(&c, comm);
  if (exchange(&c, comm) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < size; ++i) {
    const char* found = c.to + c.received_at[i];
    for (int j = 0; j < c.received[i]; ++j) {
      if (found[j] != (char)(16 * i + rank + call)) MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  free(c.sent);
  free(c.types);
  free(c.from);
  free(c.to);
}

static void* call_often(void* comm) {
  for (int call = 0; call < calls; ++call) call_once(call, *(MPI_Comm*)comm);
  return NULL;
}

static void free_communicators(void) {
  for (int i = 0; i < calls; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < i; ++call) call_once(call, comm);
    if (i % 2 == 0)
      MPI_Comm_free(&comm);
    else
      MPI_Comm_disconnect(&comm);
  }
}

static void in_threads(void) {
  MPI_Comm comms[4];
  pthread_t ids[4];
  for (int i = 0; i < 4; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < 4; ++i) pthread_create(&ids[i], NULL, call_often, &comms[i]);
  for (int i = 0; i < 4; ++i) pthread_join(ids[i], NULL);
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&comms[i]);
}

int main(int argc, char** argv) {
  int provided;
  if (argc != 5) return 2;
  is_w = *argv[1] == 'w';
  is_a = *argv[1] == 'a';
  what = argv[2];
  calls = atoi(argv[3]);
  bytes = atol(argv[4]);
  const int with_threads = strcmp(what, "threads") == 0;
  MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm world = MPI_COMM_WORLD;
  if (strcmp(what, "duplicate") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &world);
  if (strcmp(what, "freed") == 0) {
    free_communicators();
  } else if (with_threads && provided == MPI_THREAD_MULTIPLE) {
    in_threads();
  } else {
    call_often(&world);
  }
  if (world != MPI_COMM_WORLD) MPI_Comm_free(&world);
  if (rank == 0) puts("ok");
  MPI_Finalize();
  return 0;
}
