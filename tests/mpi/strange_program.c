// SPDX-License-Identifier: BSD-3-Clause
// A program for strange_mpi.c.
#include <stdio.h>
#include <unistd.h>

int MPI_Init(int*, char***);
int MPI_Finalize(void);
int MPI_Alltoall(const void*, int, int, void*, int, int, int);

int main(int argc, char** argv) {
  int send = 1, receive = 1000;
  if (MPI_Init(&argc, &argv) != 0) return 1;
  printf("sum %d\n", MPI_Alltoall(&send, -2, 30, &receive, 400, -50000, 600000));
  usleep(100000);  // MPICH's mpiexec may die of SIGPIPE when a program ends at once, 1 in 20
  return MPI_Finalize();
}
