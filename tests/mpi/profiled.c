// SPDX-License-Identifier: BSD-3-Clause
// Two all-to-alls and two broadcasts, one of them on a communicator with an info key.
// Prints "ok" on rank 0.
#include <mpi.h>
#include <stdio.h>

enum { ranks_max = 16 };

static void exchange(int rank, int size) {
  int send[ranks_max], receive[ranks_max];
  for (int i = 0; i < size; ++i) send[i] = 100 * rank + i;
  MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    if (receive[i] != 100 * i + rank) MPI_Abort(MPI_COMM_WORLD, 99);
  }
}

static void broadcast(int rank, MPI_Comm comm) {
  int message = rank == 0 ? 17 : 0;
  MPI_Bcast(&message, 1, MPI_INT, 0, comm);
  if (message != 17) MPI_Abort(MPI_COMM_WORLD, 98);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Info info;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exchange(rank, size);
  broadcast(rank, MPI_COMM_WORLD);
  MPI_Info_create(&info);
  MPI_Info_set(info, "suiro_bcast", "binomial");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  broadcast(rank, comm);
  MPI_Comm_free(&comm);
  MPI_Info_free(&info);
  exchange(rank, size);
  if (rank == 0) puts("ok");
  return MPI_Finalize();
}
