// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI library that reaches device memory, in the calls that the test needs: loaded
// behind suiro. RUNTIME is the soname of the fake runtime, which may be loaded later.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

static void reach(int may) {
  void* runtime = dlopen(RUNTIME, RTLD_NOW | RTLD_NOLOAD);
  void (*set)(int) = runtime ? (void (*)(int))dlsym(runtime, "fake_reach") : 0;
  if (set != 0) set(may);
}

#define WITH_REACH(name, ...)                                 \
  int (*next)() = (int (*)())dlsym(RTLD_NEXT, "PMPI_" #name); \
  reach(1);                                                   \
  const int code = next(__VA_ARGS__);                         \
  reach(0);                                                   \
  return code

int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status* status) {
  WITH_REACH(Sendrecv, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
             source, recvtag, comm, status);
}
