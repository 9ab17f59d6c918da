// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI library with mistakes that are easily made: a segment that arrives in the
// place of another, a contribution that is missing, another that counts twice, and a barrier that
// does not wait.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { segment = 65536 };

static int rank_of(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  if (rank_of(comm) == 2) memcpy(buffer, (char*)buffer + segment, segment);
  return code;
}

/// The vector of rank 2 is counted `times` times.
static int* weighed(const void* sent, int count, int times, MPI_Comm comm) {
  int* vector = malloc((size_t)count * sizeof *vector);
  for (int i = 0; i < count; ++i)
    vector[i] = ((const int*)sent)[i] * (rank_of(comm) == 2 ? times : 1);
  return vector;
}

int MPI_Reduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  int* vector = weighed(sent, count, 0, comm);
  const int code = PMPI_Reduce(vector, received, count, type, op, root, comm);
  free(vector);
  return code;
}

int MPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  int* vector = weighed(sent, count, 2, comm);
  const int code = PMPI_Allreduce(vector, received, count, type, op, comm);
  free(vector);
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return MPI_SUCCESS;
}
