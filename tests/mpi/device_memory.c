// SPDX-License-Identifier: BSD-3-Clause
// Three all-to-alls: all buffers in host memory, some ranks' receive buffers in device memory,
// their send buffers there; then a broadcast and a reduction in place there. Rank 1 has the
// runtime, and loads it for itself: before MPI_Init, or late, after the first all-to-all; or all
// ranks do. usage: device_memory RUNTIME [late|late-all]       prints "ok" on rank 0
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ranks_max = 64 };

static int rank, size;

/// Late, device memory cannot be reached but by the runtime's leave.
static void (*reach)(int);

static void check(const char* name, const int* received) {
  if (reach != NULL) reach(1);
  for (int i = 0; i < size; ++i) {
    if (received[i] == 100 * i + rank) continue;
    printf("%s: rank %d has %d from rank %d\n", name, rank, received[i], i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (reach != NULL) reach(0);
}

static int* load(const char* runtime) {
  void* library = dlopen(runtime, RTLD_NOW | RTLD_LOCAL);
  void* (*memory)(void) = NULL;
  if (library != NULL) *(void**)&memory = dlsym(library, "fake_device_memory");
  return memory != NULL ? memory() : NULL;
}

static int* load_late(const char* runtime) {
  int* device = load(runtime);
  *(void**)&reach = dlsym(dlopen(runtime, RTLD_NOW | RTLD_NOLOAD), "fake_reach");
  reach(0);
  return device;
}

static int* device_memory(const char* runtime) {
  const char* pmix = getenv("PMIX_RANK");
  const char* pmi = getenv("PMI_RANK");
  const char* own = pmix ? pmix : pmi ? pmi : getenv("OMPI_COMM_WORLD_RANK");
  return own != NULL && strcmp(own, "1") == 0 ? load(runtime) : NULL;
}

/// In one buffer, on which nobody but the MPI has set eyes since it was written.
static void broadcast_and_add(int* buffer) {
  if (reach != NULL) reach(1);
  for (int i = 0; i < size; ++i) buffer[i] = rank == 1 ? 100 * i : -1;
  if (reach != NULL) reach(0);
  MPI_Bcast(buffer, size, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, buffer, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (reach != NULL) reach(1);
  for (int i = 0; i < size; ++i) buffer[i] = buffer[i] / size + rank;
  if (reach != NULL) reach(0);
  check("in place", buffer);
}

int main(int argc, char** argv) {
  int host[2 * ranks_max], counts[ranks_max], places[ranks_max];
  const char* late = argc > 2 ? argv[2] : NULL;
  int* device = argc > 1 && late == NULL ? device_memory(argv[1]) : NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > ranks_max) MPI_Abort(MPI_COMM_WORLD, 2);
  int *send = host, *receive = host + ranks_max;
  for (int i = 0; i < size; ++i) {
    send[i] = 100 * rank + i;
    counts[i] = 1;
    places[i] = i;
  }
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  check("host", receive);
  if (late != NULL && (rank == 1 || strcmp(late, "late-all") == 0)) device = load_late(argv[1]);
  if (rank == 1 && device == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  if (device != NULL) receive = device;
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  check("receive", receive);
  if (device != NULL) {
    if (reach != NULL) reach(1);
    send = memcpy(device + ranks_max, send, sizeof(int) * (size_t)size);
    if (reach != NULL) reach(0);
    receive = host + ranks_max;
  }
  MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, MPI_COMM_WORLD);
  check("send", receive);
  if (late != NULL) broadcast_and_add(device != NULL ? device : receive);
  if (rank == 0) puts("ok");
  return MPI_Finalize();
}
