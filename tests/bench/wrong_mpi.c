// SPDX-License-Identifier: BSD-3-Clause
// Stands for an MPI library with mistakes that are easily made: a segment or a block that arrives
// in the place of another, a last byte that does not come, a contribution that is missing, another
// that counts twice, sums of too many ranks, and a barrier that does not wait.
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

static size_t bytes_of(int count, MPI_Datatype type) {
  int bytes;
  MPI_Type_size(type, &bytes);
  return (size_t)count * (size_t)bytes;
}

int MPI_Allgather(const void* sent, int count, MPI_Datatype type, void* received, int got_count,
                  MPI_Datatype got, MPI_Comm comm) {
  const int code = PMPI_Allgather(sent, count, type, received, got_count, got, comm);
  const size_t block = bytes_of(count, type);
  if (rank_of(comm) == 2) memmove(received, (char*)received + block, block);
  return code;
}

int MPI_Allgatherv(const void* sent, int count, MPI_Datatype type, void* received,
                   const int got_counts[], const int at[], MPI_Datatype got, MPI_Comm comm) {
  const int code = PMPI_Allgatherv(sent, count, type, received, got_counts, at, got, comm);
  if (rank_of(comm) == 2) memmove(received, (char*)received + 1, bytes_of(count, type));
  return code;
}

int MPI_Gather(const void* sent, int count, MPI_Datatype type, void* received, int got_count,
               MPI_Datatype got, int root, MPI_Comm comm) {
  const int code = PMPI_Gather(sent, count, type, received, got_count, got, root, comm);
  const size_t block = bytes_of(count, type);
  if (rank_of(comm) == root) memmove((char*)received + 2 * block, received, block);
  return code;
}

int MPI_Gatherv(const void* sent, int count, MPI_Datatype type, void* received,
                const int got_counts[], const int at[], MPI_Datatype got, int root, MPI_Comm comm) {
  const int code = PMPI_Gatherv(sent, count, type, received, got_counts, at, got, root, comm);
  if (rank_of(comm) == root) ((char*)received)[at[2] + got_counts[2] - 1] ^= 1;
  return code;
}

int MPI_Scatter(const void* sent, int count, MPI_Datatype type, void* received, int got_count,
                MPI_Datatype got, int root, MPI_Comm comm) {
  const int code = PMPI_Scatter(sent, count, type, received, got_count, got, root, comm);
  if (rank_of(comm) == 2) ((char*)received)[bytes_of(got_count, got) - 1] ^= 1;
  return code;
}

int MPI_Scatterv(const void* sent, const int counts[], const int at[], MPI_Datatype type,
                 void* received, int got_count, MPI_Datatype got, int root, MPI_Comm comm) {
  const int code = PMPI_Scatterv(sent, counts, at, type, received, got_count, got, root, comm);
  if (rank_of(comm) == 2) ((char*)received)[bytes_of(got_count, got) - 1] ^= 1;
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

int MPI_Reduce_scatter(const void* sent, void* received, const int counts[], MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm) {
  int ranks, count = 0;
  MPI_Comm_size(comm, &ranks);
  for (int rank = 0; rank < ranks; ++rank) count += counts[rank];
  int* vector = weighed(sent, count, 2, comm);
  const int code = PMPI_Reduce_scatter(vector, received, counts, type, op, comm);
  free(vector);
  return code;
}

int MPI_Reduce_scatter_block(const void* sent, void* received, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  int* vector = weighed(sent, count * ranks, 0, comm);
  const int code = PMPI_Reduce_scatter_block(vector, received, count, type, op, comm);
  free(vector);
  return code;
}

int MPI_Scan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm) {
  return PMPI_Allreduce(sent, received, count, type, op, comm);
}

int MPI_Exscan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  return PMPI_Scan(sent, received, count, type, op, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return MPI_SUCCESS;
}
