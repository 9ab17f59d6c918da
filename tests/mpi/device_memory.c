// SPDX-License-Identifier: BSD-3-Clause
// Three all-to-alls: all buffers in host memory, one rank's receive buffer in device memory, one
// rank's send buffer there. Only rank 1 has the runtime, and loads it for itself.
// usage: device_memory RUNTIME       prints "ok" on rank 0
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ranks_max = 64 };

static int rank, size;

static void check(const char* name, const int* received) {
  for (int i = 0; i < size; ++i) {
    if (received[i] == 100 * i + rank) continue;
    printf("%s: rank %d has %d from rank %d\n", name, rank, received[i], i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static int* device_memory(const char* runtime) {
  const char* pmix = getenv("PMIX_RANK");
  const char* pmi = getenv("PMI_RANK");
  const char* own = pmix ? pmix : pmi ? pmi : getenv("OMPI_COMM_WORLD_RANK");
  if (own == NULL || strcmp(own, "1") != 0) return NULL;
  void* library = dlopen(runtime, RTLD_NOW | RTLD_LOCAL);
  void* (*memory)(void) = NULL;
  if (library != NULL) *(void**)&memory = dlsym(library, "fake_device_memory");
  return memory != NULL ? memory() : NULL;
}

int main(int argc, char** argv) {
  int host[2 * ranks_max], counts[ranks_max], places[ranks_max];
  int* device = argc > 1 ? device_memory(argv[1]) : NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > ranks_max || (rank == 1 && device == NULL)) MPI_Abort(MPI_COMM_WORLD, 2);
  int *send = host, *receive = host + ranks_max;
  for (int i = 0; i < size; ++i) {
    send[i] = 100 * rank + i;
    counts[i] = 1;
    places[i] = i;
  }
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  check("host", receive);
  if (device != NULL) receive = device;
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  check("receive", receive);
  if (device != NULL) {
    send = memcpy(device + ranks_max, send, sizeof(int) * (size_t)size);
    receive = host + ranks_max;
  }
  MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, MPI_COMM_WORLD);
  check("send", receive);
  if (rank == 0) puts("ok");
  return MPI_Finalize();
}
