// SPDX-License-Identifier: BSD-3-Clause
// Sends a contiguous datatype that does not begin at its address, by a persistent request and in
// MPI_Alltoallw, which Open MPI before 4.1.6 makes of such requests. Prints what arrived.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int whole = 4, part = 2, start = 2, numbers[] = {0, 1, 2, 3};
  int alone[2] = {-1, -1}, each[4] = {-1, -1, -1, -1};
  MPI_Datatype half;
  MPI_Type_create_subarray(1, &whole, &part, &start, MPI_ORDER_C, MPI_INT, &half);
  MPI_Type_commit(&half);
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_init(numbers, 1, half, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else {
    MPI_Recv(alone, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const int one[] = {1, 1}, zero[] = {0, 0}, two[] = {2, 2}, places[] = {0, 2 * sizeof(int)};
  const MPI_Datatype halves[] = {half, half}, ints[] = {MPI_INT, MPI_INT};
  MPI_Alltoallw(numbers, one, zero, halves, each, two, places, ints, MPI_COMM_WORLD);
  MPI_Type_free(&half);
  if (rank == 1)
    printf("%d %d, %d %d %d %d\n", alone[0], alone[1], each[0], each[1], each[2], each[3]);
  MPI_Finalize();
  return 0;
}
