// SPDX-License-Identifier: BSD-3-Clause
// MPI_Gather of blocks of 1.2 GB, whose bytes an int counts, but not those of two that travel
// together. Only the marked numbers are not 0: the rest of what is sent costs no memory. Prints
// "ok".
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

enum { numbers = 300000000, marks = 4 };

static int* untouched(size_t count) {
  int* memory = mmap(NULL, count * sizeof *memory, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 9);
  return memory;
}

int main(int argc, char** argv) {
  static const size_t places[marks] = {0, 12345, numbers / 2, numbers - 1};
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* sent = untouched(numbers);
  int* received = rank == 0 ? untouched((size_t)size * numbers) : NULL;
  for (int i = 0; i < marks; ++i) sent[places[i]] = 10 * rank + i + 1;
  MPI_Gather(sent, numbers, MPI_INT, received, numbers, MPI_INT, 0, MPI_COMM_WORLD);
  for (int from = 0; from < size && rank == 0; ++from) {
    for (int i = 0; i < marks; ++i) {
      wrong += received[(size_t)from * numbers + places[i]] != 10 * from + i + 1;
    }
  }
  if (rank == 0) puts(wrong ? "wrong" : "ok");
  MPI_Finalize();
  return wrong != 0;
}
