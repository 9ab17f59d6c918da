// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall between two ranks with blocks of more than 2 GiB, or MPI_Bcast of one, in elements
// of 64 KiB. The elements to send overlap, which saves the memory of their blocks; those that
// arrive do not.    usage: large_block alltoall|bcast    prints "ok"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { element = 65536, step = 4096, elements = 32769, sample = 1021 };

/// Byte `place` of what a rank sends.
static unsigned char pattern(int rank, size_t place) {
  return (unsigned char)((place * 2654435761u >> 13) ^ (size_t)rank);
}

static MPI_Datatype overlapping(MPI_Datatype plain) {
  MPI_Datatype type;
  MPI_Type_create_resized(plain, 0, step, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Differences among every `sample`-th byte and the last of a block.
static int differences(const unsigned char* found, int from, int rank) {
  const size_t block = (size_t)element * elements, first = (size_t)rank * step * elements;
  int wrong = 0;
  for (size_t i = 0; i < block; i += sample) {
    wrong += found[i] != pattern(from, first + i / element * step + i % element);
  }
  return wrong +
         (found[block - 1] != pattern(from, first + (elements - 1) * (size_t)step + element - 1));
}

static int alltoall(int rank, void* sent, MPI_Datatype type, MPI_Datatype plain) {
  const size_t block = (size_t)element * elements;
  unsigned char* received = calloc(2, block);
  int wrong = 0;
  if (received == NULL) MPI_Abort(MPI_COMM_WORLD, 99);
  MPI_Alltoall(sent, elements, type, received, elements, plain, MPI_COMM_WORLD);
  for (int from = 0; from < 2; ++from) wrong += differences(received + from * block, from, rank);
  free(received);
  return wrong;
}

static int bcast(int rank, void* sent, MPI_Datatype type, MPI_Datatype plain) {
  unsigned char* received = rank == 0 ? NULL : calloc(elements, element);
  MPI_Bcast(rank == 0 ? sent : received, elements, rank == 0 ? type : plain, 0, MPI_COMM_WORLD);
  const int wrong = rank == 0 ? 0 : differences(received, 0, 0);
  free(received);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Datatype plain, type;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t sent_bytes = (size_t)2 * elements * step + element;
  unsigned char* sent = malloc(sent_bytes);
  if (sent == NULL || argc != 2) MPI_Abort(MPI_COMM_WORLD, 99);
  for (size_t i = 0; i < sent_bytes; ++i) sent[i] = pattern(rank, i);
  MPI_Type_contiguous(element, MPI_BYTE, &plain);
  MPI_Type_commit(&plain);
  type = overlapping(plain);
  const int wrong = (strcmp(argv[1], "bcast") == 0 ? bcast : alltoall)(rank, sent, type, plain);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d bytes differ\n" : "ok\n", all);
  MPI_Type_free(&type);
  MPI_Type_free(&plain);
  MPI_Finalize();
  free(sent);
  return all != 0;
}
