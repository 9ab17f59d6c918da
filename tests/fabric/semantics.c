// SPDX-License-Identifier: BSD-3-Clause
// What MPI promises of messages between two processes or more: order, wildcards, truncation, modes
// of sending, probing, cancelling, any size. Prints "ok over suiro" if that is what carried it, or
// what was wrong.
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define REQUIRE(condition) \
  if (!(condition)) fail(#condition, __LINE__)

static void fail(const char* condition, int line) {
  printf("rank %d, line %d: not so: %s\n", rank, line, condition);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(char* buffer, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i) buffer[i] = (char)((i * 2654435761u + (unsigned)seed) >> 9);
}

static void check(const char* buffer, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i)
    REQUIRE(buffer[i] == (char)((i * 2654435761u + (unsigned)seed) >> 9));
}

/// Every rank to every other, all sizes, all at once.
static void all_sizes(void) {
  static const int sizes[] = {0, 1, 100, 4096, 4097, 65536, 65537, 1000003, 9000001};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  MPI_Request* requests = malloc(sizeof *requests * (size_t)(2 * COUNT * size));
  char** received = malloc(sizeof *received * (size_t)(COUNT * size));
  char* sent[COUNT];
  int pending = 0;
  for (int k = 0; k < COUNT; ++k) {
    sent[k] = malloc((size_t)sizes[k] + 1);
    fill(sent[k], (size_t)sizes[k], rank * 100 + k);
    for (int peer = 0; peer < size; ++peer) {
      received[k * size + peer] = calloc((size_t)sizes[k] + 1, 1);
      MPI_Isend(sent[k], sizes[k], MPI_BYTE, peer, k, MPI_COMM_WORLD, &requests[pending++]);
    }
  }
  for (int k = COUNT - 1; k >= 0; --k)
    for (int peer = 0; peer < size; ++peer)
      MPI_Irecv(received[k * size + peer], sizes[k], MPI_BYTE, peer, k, MPI_COMM_WORLD,
                &requests[pending++]);
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < COUNT; ++k) {
    for (int peer = 0; peer < size; ++peer) {
      check(received[k * size + peer], (size_t)sizes[k], peer * 100 + k);
      free(received[k * size + peer]);
    }
    free(sent[k]);
  }
  free(received);
  free(requests);
}

/// Short and long messages of one rank with one tag arrive in the order in which they were sent.
static void order(void) {
  enum { COUNT = 400, LONG = 100000 };
  int* buffer = malloc(LONG * sizeof(int));
  if (rank == 0) {
    for (int i = 0; i < COUNT; ++i) {
      buffer[0] = i;
      MPI_Send(buffer, i % 7 == 0 ? LONG : 1 + i % 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    for (int i = 0; i < COUNT; ++i) {
      MPI_Status status;
      int count;
      MPI_Recv(buffer, LONG, MPI_INT, i % 2 ? MPI_ANY_SOURCE : 0, i % 3 ? MPI_ANY_TAG : 5,
               MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      REQUIRE(buffer[0] == i && count == (i % 7 == 0 ? LONG : 1 + i % 3));
      REQUIRE(status.MPI_SOURCE == 0 && status.MPI_TAG == 5);
    }
  }
  free(buffer);
}

static void wildcards_and_probes(void) {
  int value = rank;
  if (rank != 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD);
    MPI_Ssend(&value, 1, MPI_INT, 0, 50, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    MPI_Message message;
    int there = 0;
    while (!there) MPI_Improbe(MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD, &there, &message, &status);
    REQUIRE(status.MPI_SOURCE == i && status.MPI_TAG == 10 + i);
    MPI_Iprobe(i, 10 + i, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    REQUIRE(!there);  // it is taken out
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    REQUIRE(value == i);
    MPI_Probe(i, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    REQUIRE(status.MPI_TAG == 50);
    MPI_Recv(&value, 1, MPI_INT, i, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    REQUIRE(value == i);
  }
}

static void truncation(void) {
  static const int sizes[] = {1000, 300000};
  char* buffer = malloc(300000);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; ++i) {
    if (rank == 0) MPI_Send(buffer, sizes[i], MPI_BYTE, 1, 7, MPI_COMM_WORLD);
    if (rank != 1) continue;
    int class = MPI_SUCCESS;
    const int code = MPI_Recv(buffer, 100, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    REQUIRE(code != MPI_SUCCESS);
    MPI_Error_class(code, &class);
    REQUIRE(class == MPI_ERR_TRUNCATE);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  free(buffer);
}

static void cancelling(void) {
  MPI_Request request;
  MPI_Status status;
  int value, cancelled = 0;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  REQUIRE(cancelled);
}

static void vectors(void) {
  enum { ROWS = 500, COLUMNS = 300 };
  double* matrix = malloc(sizeof(double) * ROWS * COLUMNS);
  MPI_Datatype column;
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < ROWS * COLUMNS; ++i) matrix[i] = rank == 0 ? i : -1;
  if (rank == 0) MPI_Send(matrix + 3, 1, column, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(matrix + 7, 1, column, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS; ++i) REQUIRE(matrix[i * COLUMNS + 7] == i * COLUMNS + 3);
  }
  MPI_Type_free(&column);
  free(matrix);
}

/// The transport's helper is a thread with a name.
static int has_helper(void) {
  DIR* threads = opendir("/proc/self/task");
  int found = 0;
  for (struct dirent* entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(name, sizeof name, file) != NULL) found |= strcmp(name, "suiro-net\n") == 0;
    fclose(file);
  }
  if (threads != NULL) closedir(threads);
  return found;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void (*const parts[])(void) = {all_sizes,  order,      wildcards_and_probes,
                                 truncation, cancelling, vectors};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    parts[i]();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) puts(has_helper() ? "ok over suiro" : "ok");
  MPI_Finalize();
  return 0;
}
