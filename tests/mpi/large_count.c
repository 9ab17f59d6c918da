// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv_c with a count that no int holds: rank 0 sends 2 GiB and 8 bytes to rank 1, of
// which only the marked bytes are not 0 (the rest of what is sent costs no memory). Prints "ok", or
// "none" where the MPI has no large counts.
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  const MPI_Count count = ((MPI_Count)1 << 31) + 8;
  const MPI_Count marks[] = {0, 12345, ((MPI_Count)1 << 31) - 1, count - 1};
  const MPI_Count sent[2] = {0, rank == 0 ? count : 0}, received[2] = {rank == 1 ? count : 0, 0};
  const MPI_Aint nowhere[2] = {0, 0};
  char* data = mmap(NULL, (size_t)count, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 9);
  for (int i = 0; i < 4 && rank == 0; ++i) data[marks[i]] = (char)(i + 1);
  MPI_Alltoallv_c(rank == 0 ? data : NULL, sent, nowhere, MPI_BYTE, rank == 0 ? NULL : data,
                  received, nowhere, MPI_BYTE, MPI_COMM_WORLD);
  int wrong = 0;
  for (int i = 0; i < 4; ++i) wrong += data[marks[i]] != (char)(i + 1);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) puts(all ? "wrong" : "ok");
#else
  if (rank == 0) puts("none");
#endif
  MPI_Finalize();
  return all != 0;
}
