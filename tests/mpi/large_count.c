// SPDX-License-Identifier: BSD-3-Clause
// A count that no int holds, in the large-count form of a collective: rank 0 sends 2 GiB and 8
// bytes to rank 1, of which only the marked bytes are not 0 (the rest of what is sent costs no
// memory). usage: large_count alltoallv|gatherv|scatterv       prints "ok", or "none"
// where the MPI has no large counts
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if MPI_VERSION >= 4
/// Rank 1 gets all of what rank 0 has; rank 1 has nothing.
static void call(const char* name, char* data, MPI_Count count, int rank) {
  const MPI_Aint nowhere[2] = {0, 0};
  const MPI_Count by_sender[2] = {count, 0}, to_receiver[2] = {0, count}, none[2] = {0, 0};
  const MPI_Count own = rank == 0 ? count : 0, got = rank == 1 ? count : 0;
  if (strcmp(name, "alltoallv") == 0) {
    MPI_Alltoallv_c(rank == 0 ? data : NULL, rank == 0 ? to_receiver : none, nowhere, MPI_BYTE,
                    rank == 0 ? NULL : data, rank == 0 ? none : by_sender, nowhere, MPI_BYTE,
                    MPI_COMM_WORLD);
  } else if (strcmp(name, "gatherv") == 0) {
    MPI_Gatherv_c(rank == 0 ? data : NULL, own, MPI_BYTE, data, by_sender, nowhere, MPI_BYTE, 1,
                  MPI_COMM_WORLD);
  } else {
    MPI_Scatterv_c(data, to_receiver, nowhere, MPI_BYTE, rank == 1 ? data : NULL, got, MPI_BYTE, 0,
                   MPI_COMM_WORLD);
  }
}
#endif

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  const MPI_Count count = ((MPI_Count)1 << 31) + 8;
  const MPI_Count marks[] = {0, 12345, ((MPI_Count)1 << 31) - 1, count - 1};
  char* data = mmap(NULL, (size_t)count, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 9);
  for (int i = 0; i < 4 && rank == 0; ++i) data[marks[i]] = (char)(i + 1);
  call(argc > 1 ? argv[1] : "", data, count, rank);
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
