// SPDX-License-Identifier: BSD-3-Clause
// Every kind of argument that MPI_Alltoall and MPI_Alltoallv take, each compared bit for bit with
// what the MPI library itself delivers (its PMPI function, found by name behind any preload).
// usage: alltoall_cases       prints "ok N cases" on rank 0, or what differs, and then exits
// with 1.
#include <pthread.h>

#include "cases.h"

typedef int (*alltoall_function)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                 MPI_Comm);
typedef int (*alltoallv_function)(const void*, const int*, const int*, MPI_Datatype, void*,
                                  const int*, const int*, MPI_Datatype, MPI_Comm);
static alltoall_function native_alltoall;
static alltoallv_function native_alltoallv;

static void find_native(void) {
  *(void**)&native_alltoall = native("PMPI_Alltoall");
  *(void**)&native_alltoallv = native("PMPI_Alltoallv");
}

/// Both ways into equal buffers; bytes outside the datatype must stay as they were, too.
static void regular(const char* name, MPI_Comm comm, int send_count, MPI_Datatype send_type,
                    int receive_count, MPI_Datatype receive_type, int in_place) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  const size_t send_bytes = (size_t)(send_count * extent_of(send_type)) * (size_t)size + 4096;
  const size_t bytes = (size_t)(receive_count * extent_of(receive_type)) * (size_t)size + 4096;
  unsigned char* send = filled(send_bytes, rank);
  unsigned char* ours = filled(bytes, 100 + rank);
  unsigned char* native = filled(bytes, 100 + rank);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : send, send_count, send_type, ours, receive_count,
               receive_type, comm);
  native_alltoall(in_place ? MPI_IN_PLACE : send, send_count, send_type, native, receive_count,
                  receive_type, comm);
  compare(name, comm, ours, native, bytes);
  free(send);
  free(ours);
  free(native);
}

/// What rank `from` sends to rank `to`, in elements; some are nothing.
static int elements(int from, int to) { return (from * 7 + to * 3) % 5; }

static void irregular(const char* name, MPI_Comm comm, MPI_Datatype type, int in_place) {
  int size, rank, send_total = 0, receive_total = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  int* counts = malloc(4 * (size_t)size * sizeof *counts);
  int *places = counts + size, *receive_counts = places + size, *receive_places = places + 2 * size;
  for (int i = 0; i < size; ++i) {
    counts[i] = elements(rank, i);
    receive_counts[i] = in_place ? elements(rank + i, rank * i) : elements(i, rank);
    places[i] = send_total;
    receive_places[i] = receive_total;
    send_total += counts[i] + 1;
    receive_total += receive_counts[i] + 2;
  }
  const size_t send_bytes = (size_t)(send_total * extent_of(type)) + 4096;
  const size_t bytes = (size_t)(receive_total * extent_of(type)) + 4096;
  unsigned char* send = filled(send_bytes, rank);
  unsigned char* ours = filled(bytes, 200 + rank);
  unsigned char* native = filled(bytes, 200 + rank);
  MPI_Alltoallv(in_place ? MPI_IN_PLACE : send, counts, places, type, ours, receive_counts,
                receive_places, type, comm);
  native_alltoallv(in_place ? MPI_IN_PLACE : send, counts, places, type, native, receive_counts,
                   receive_places, type, comm);
  compare(name, comm, ours, native, bytes);
  free(counts);
  free(send);
  free(ours);
  free(native);
}

static void datatypes(MPI_Comm comm) {
  struct Types types = make_types();
  regular("vector", comm, 2, types.vector, 2, types.vector, 0);
  regular("vector to ints", comm, 1, types.vector, 6, MPI_INT, 0);
  regular("ints to vector", comm, 6, MPI_INT, 1, types.vector, 0);
  regular("resized", comm, 5, types.resized, 5, types.resized, 0);
  regular("resized in place", comm, 5, types.resized, 5, types.resized, 1);
  regular("struct", comm, 3, types.record, 3, types.record, 0);
  regular("struct in place", comm, 3, types.record, 3, types.record, 1);
  regular("backwards", comm, 4, types.backwards, 8, MPI_INT, 0);
  irregular("v struct", comm, types.record, 0);
  irregular("v resized", comm, types.resized, 0);
  regular("shifted", comm, 3, types.shifted, 6, MPI_INT, 0);
  free_types(&types);
}

static void everything(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  regular("bytes", comm, 1, MPI_BYTE, 1, MPI_BYTE, 0);
  regular("zero", comm, 0, MPI_INT, 0, MPI_INT, 0);
  regular("doubles", comm, 1000, MPI_DOUBLE, 1000, MPI_DOUBLE, 0);
  regular("large", comm, 70001, MPI_INT, 70001, MPI_INT, 0);
  regular("in place", comm, 0, MPI_INT, 333, MPI_INT, 1);
  irregular("v ints", comm, MPI_INT, 0);
  if (size == 1) irregular("v in place", comm, MPI_INT, 1);
  datatypes(comm);
}

/// In place the counts of a pair must be equal both ways.
static void irregular_in_place(MPI_Comm comm) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  int counts[64], places[64], total = 0;
  for (int i = 0; i < size && i < 64; ++i) {
    counts[i] = (rank + i) % 4;
    places[i] = total;
    total += counts[i] + 1;
  }
  unsigned char* ours = filled((size_t)total * 4, rank);
  unsigned char* native = filled((size_t)total * 4, rank);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, ours, counts, places, MPI_INT, comm);
  native_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, native, counts, places, MPI_INT,
                   comm);
  compare("v in place", comm, ours, native, (size_t)total * 4);
  free(ours);
  free(native);
}

static void communicators(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20; ++i) {  // handles are used again
    MPI_Comm reversed, part;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    regular("reversed", reversed, 9, MPI_INT, 9, MPI_INT, 0);
    regular("part", part, 9, MPI_INT, 9, MPI_INT, 0);
    if (i == 0) everything(reversed);
    if (i == 0) everything(part);
    MPI_Comm_free(&reversed);
    if (i % 2 == 0)
      MPI_Comm_free(&part);
    else
      MPI_Comm_disconnect(&part);
  }
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
  if (size > 1) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 5, &both);
    int remote;
    MPI_Comm_remote_size(both, &remote);
    int *send = calloc((size_t)remote, 4), *ours = calloc((size_t)remote, 4),
        *native = calloc((size_t)remote, 4);
    for (int i = 0; i < remote; ++i) send[i] = rank * 100 + i;
    MPI_Alltoall(send, 1, MPI_INT, ours, 1, MPI_INT, both);
    native_alltoall(send, 1, MPI_INT, native, 1, MPI_INT, both);
    compare("intercommunicator", MPI_COMM_WORLD, ours, native, (size_t)remote * 4);
    MPI_Comm_free(&both);
    free(send);
    free(ours);
    free(native);
  }
  MPI_Comm_free(&half);
  everything(MPI_COMM_SELF);
}

static int handler_calls, handler_class;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handler_calls;
  MPI_Error_class(*code, &handler_class);
}

typedef struct {
  int class, handler_calls, handler_class;
} Outcome;

/// What a call ended with; made ready for the next call.
static Outcome outcome_of(int code) {
  Outcome outcome = {MPI_SUCCESS, handler_calls, handler_class};
  if (code != MPI_SUCCESS) MPI_Error_class(code, &outcome.class);
  handler_calls = 0;
  return outcome;
}

/// MPICH 5 returns success when the user's handler has been called; the others return the error.
static void expect(const char* name, Outcome ours, Outcome native, int wanted_class) {
  ++cases;
  if (ours.class == native.class && ours.handler_calls == 1 && ours.handler_class == wanted_class)
    return;
  ++failures;
  printf("%s: class %d, handler called %d times with class %d\n", name, ours.class,
         ours.handler_calls, ours.handler_class);
}

/// Each rank passes the wrong argument, so none waits for another.
static void errors(void) {
  MPI_Comm comm;
  MPI_Errhandler errhandler;
  int size, data[2 * 64] = {0};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handler, &errhandler);
  MPI_Comm_set_errhandler(comm, errhandler);
  MPI_Alltoall(data, 1, MPI_INT, data + 64, 1, MPI_INT, comm);  // makes the private twin
  handler_calls = 0;
  Outcome ours = outcome_of(MPI_Alltoall(data, -1, MPI_INT, data + 64, 1, MPI_INT, comm));
  Outcome native = outcome_of(native_alltoall(data, -1, MPI_INT, data + 64, 1, MPI_INT, comm));
  expect("negative count", ours, native, MPI_ERR_COUNT);
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  ours = outcome_of(MPI_Alltoall(data, 1, none, data + 64, 1, MPI_INT, comm));
  native = outcome_of(native_alltoall(data, 1, none, data + 64, 1, MPI_INT, comm));
  expect("null type", ours, native, MPI_ERR_TYPE);
  int wrong[64], places[64] = {0};
  for (int i = 0; i < 64; ++i) wrong[i] = -1;
  int* to = data + 64;
  ours = outcome_of(MPI_Alltoallv(data, wrong, places, MPI_INT, to, wrong, places, MPI_INT, comm));
  native =
      outcome_of(native_alltoallv(data, wrong, places, MPI_INT, to, wrong, places, MPI_INT, comm));
  expect("v negative count", ours, native, MPI_ERR_COUNT);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&errhandler);
}

static void* in_thread(void* comm) {
  for (int i = 0; i < 30; ++i) {
    regular("thread", *(MPI_Comm*)comm, 100 + i, MPI_INT, 100 + i, MPI_INT, i % 2);
    irregular("thread v", *(MPI_Comm*)comm, MPI_INT, 0);
  }
  return NULL;
}

static void threads(void) {
  MPI_Comm comms[4];
  pthread_t ids[4];
  for (int i = 0; i < 4; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < 4; ++i) pthread_create(&ids[i], NULL, in_thread, &comms[i]);
  for (int i = 0; i < 4; ++i) pthread_join(ids[i], NULL);
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&comms[i]);
}

int main(int argc, char** argv) {
  int provided;
  const int with_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  find_native();
  if (with_threads) {
    if (provided == MPI_THREAD_MULTIPLE) threads();
  } else {
    everything(MPI_COMM_WORLD);
    irregular_in_place(MPI_COMM_WORLD);
    communicators();
    errors();
  }
  const int code = conclude();
  MPI_Finalize();
  return code;
}
