// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI library that has trouble with the messages of suiro, behind which it is loaded.
// FAULT=KIND:RANK:NUMBER
//   kill    the rank dies when it is about to send its NUMBER-th message (1: the first)
//   lose    its NUMBER-th receive fails, and its buffer has anything in it
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { receives_max = 4096 };
static struct Receive {
  MPI_Request request;
  void* buffer;
  size_t bytes;
} receives[receives_max];
static int receiving;

/// True when it is the turn of this rank, and of the NUMBER-th time that it asks.
static int strikes(const char* kind) {
  static int rank_known = -1, seen;
  char wanted[16] = "";
  int rank = -1, number = 0;
  const char* fault = getenv("FAULT");
  if (fault == NULL || sscanf(fault, "%15[a-z]:%d:%d", wanted, &rank, &number) != 3) return 0;
  if (strcmp(kind, wanted) != 0) return 0;
  if (rank_known < 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank_known);
  return rank == rank_known && ++seen == number;
}

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request) {
  int (*next)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Isend");
  if (strikes("kill")) raise(SIGKILL);
  return next(buffer, count, type, target, tag, comm, request);
}

int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  int (*next)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Irecv");
  const int code = next(buffer, count, type, source, tag, comm, request);
  int size = 0;
  MPI_Type_size(type, &size);
  if (code == MPI_SUCCESS && receiving < receives_max) {
    receives[receiving++] = (struct Receive){*request, buffer, (size_t)size * (size_t)count};
  }
  return code;
}

/// The finished receives among the requests as they were before; true when one is to fail.
static int loses(const MPI_Request* before, const int* finished, int count, MPI_Status* statuses) {
  int lost = 0;
  for (int i = 0; i < count; ++i) {
    statuses[i].MPI_ERROR = MPI_SUCCESS;
    for (int r = 0; r < receiving; ++r) {
      if (receives[r].request != before[finished[i]]) continue;
      const struct Receive over = receives[r];
      receives[r] = receives[--receiving];
      if (!strikes("lose")) break;
      memset(over.buffer, 0x5a, over.bytes);
      statuses[i].MPI_ERROR = MPI_ERR_OTHER;
      lost = 1;
      break;
    }
  }
  return lost;
}

static int some(const char* name, int count, MPI_Request* requests, int* done, int* finished,
                MPI_Status* statuses) {
  int (*next)(int, MPI_Request*, int*, int*, MPI_Status*);
  *(void**)&next = dlsym(RTLD_NEXT, name);
  MPI_Request* before = malloc(((size_t)count + 1) * sizeof *before);
  memcpy(before, requests, (size_t)count * sizeof *before);
  int code = next(count, requests, done, finished, statuses);
  if (code == MPI_SUCCESS && *done != MPI_UNDEFINED && loses(before, finished, *done, statuses)) {
    code = MPI_ERR_IN_STATUS;
  }
  free(before);
  return code;
}

int PMPI_Testsome(int count, MPI_Request* requests, int* done, int* finished,
                  MPI_Status* statuses) {
  return some("PMPI_Testsome", count, requests, done, finished, statuses);
}

int PMPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  int (*next)(int, MPI_Request*, MPI_Status*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Waitall");
  if (statuses == MPI_STATUSES_IGNORE) return next(count, requests, statuses);
  MPI_Request* before = malloc(((size_t)count + 1) * sizeof *before);
  int* all = malloc(((size_t)count + 1) * sizeof *all);
  memcpy(before, requests, (size_t)count * sizeof *before);
  for (int i = 0; i < count; ++i) all[i] = i;
  int code = next(count, requests, statuses);
  if (code == MPI_SUCCESS && loses(before, all, count, statuses)) code = MPI_ERR_IN_STATUS;
  free(all);
  free(before);
  return code;
}

int PMPI_Waitsome(int count, MPI_Request* requests, int* done, int* finished,
                  MPI_Status* statuses) {
  return some("PMPI_Waitsome", count, requests, done, finished, statuses);
}
