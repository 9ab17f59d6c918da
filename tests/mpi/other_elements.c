// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allgatherv in which odd ranks count what they get in larger elements than even ranks do: the
// bytes are the same, and so must be what suiro chooses on each rank.
// prints "ok" on rank 0, or what is wrong, and then exits with 1.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements_max = 200 };

/// Every third rank has `elements` integers, the others have none. Returns how many came wrong.
static int gather(int elements, int rank, int size) {
  MPI_Datatype large;
  MPI_Type_contiguous(elements, MPI_INT, &large);
  MPI_Type_commit(&large);
  const int odd = rank % 2;
  int own[elements_max], counts[64], places[64], total = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = i % 3 == 0 ? (odd ? 1 : elements) : 0;
    places[i] = total;
    total += counts[i];
  }
  for (int i = 0; i < elements; ++i) own[i] = rank * elements_max + i;
  int* all = calloc((size_t)size * elements_max, sizeof *all);
  MPI_Allgatherv(own, rank % 3 == 0 ? elements : 0, MPI_INT, all, counts, places,
                 odd ? large : MPI_INT, MPI_COMM_WORLD);
  int wrong = 0;
  for (int i = 0; i * 3 < size; ++i) {
    for (int j = 0; j < elements; ++j) wrong += all[i * elements + j] != i * 3 * elements_max + j;
  }
  free(all);
  MPI_Type_free(&large);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int elements = 1; elements <= elements_max; ++elements)
    wrong += gather(elements, rank, size);
  if (wrong > 0) printf("rank %d: %d integers are wrong\n", rank, wrong);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && wrong == 0) puts("ok");
  MPI_Finalize();
  return wrong > 0;
}
