// SPDX-License-Identifier: BSD-3-Clause
// What a call costs more because suiro stands in between and decides for native: MPI_Alltoall or
// MPI_Bcast of 8 bytes against the MPI library's own function, in turns in one process. Prints, on
// rank 0, the median of the paired differences and the native time, in nanoseconds.
// usage: overhead [PAIRS [bcast]]
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*alltoall_function)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                 MPI_Comm);
typedef int (*bcast_function)(void*, int, MPI_Datatype, int, MPI_Comm);
enum { calls = 200, bytes = 8 };

static char sent[64 * bytes], received[64 * bytes];

static alltoall_function native_alltoall;
static bcast_function native_bcast;
static int broadcasts;

static double batch_ns(int natively) {
  const alltoall_function alltoall = natively ? native_alltoall : MPI_Alltoall;
  const bcast_function bcast = natively ? native_bcast : MPI_Bcast;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    if (broadcasts) {
      bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else {
      alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin_s) * 1e9 / calls;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef OPEN_MPI
  void* library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
#else
  void* library = dlopen("libmpich.so.12", RTLD_LAZY | RTLD_NOLOAD);
#endif
  *(void**)&native_alltoall = library ? dlsym(library, "PMPI_Alltoall") : NULL;
  *(void**)&native_bcast = library ? dlsym(library, "PMPI_Bcast") : NULL;
  broadcasts = argc > 2;
  const int pairs = argc > 1 ? atoi(argv[1]) : 1000;
  double* differences = malloc((size_t)pairs * sizeof *differences);
  double* natives = malloc((size_t)pairs * sizeof *natives);
  if (native_alltoall == NULL || native_bcast == NULL || differences == NULL || natives == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  batch_ns(1);
  batch_ns(0);
  for (int i = 0; i < pairs; ++i) {
    const double first = batch_ns(i % 2 == 0);
    const double second = batch_ns(i % 2);
    natives[i] = i % 2 ? second : first;
    differences[i] = i % 2 ? first - second : second - first;
  }
  qsort(differences, (size_t)pairs, sizeof *differences, compare);
  qsort(natives, (size_t)pairs, sizeof *natives, compare);
  if (rank == 0) {
    printf("added_ns %.1f native_ns %.1f\n", differences[pairs / 2], natives[pairs / 2]);
  }
  MPI_Finalize();
  return 0;
}
