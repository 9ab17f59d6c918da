// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI library that is wrong: loaded behind suiro, it is what suiro takes for native.
// On rank 1, byte 2 of block 1 of an all-to-all is turned; a reduction of doubles to rank 0 has its
// third number wrong by 1e-12.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  int (*next)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Alltoall");
  int rank, size;
  const int code = next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(recvtype, &size);
  if (rank == 1) ((char*)recvbuf)[(long)recvcount * size + 2] ^= 1;
  return code;
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm) {
  int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Reduce");
  int rank;
  const int code = next(sendbuf, recvbuf, count, datatype, op, root, comm);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0 && count > 2 && datatype == MPI_DOUBLE) ((double*)recvbuf)[2] *= 1 + 1e-12;
  return code;
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm) {
  return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
}
