// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 changes its floating-point arithmetic. After each call it must be as rank 1 made it.
// usage: arithmetic upward|downward|towardzero|flush|trap [early|trials]    prints "ok" on rank 0
#define _GNU_SOURCE
#include <fenv.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { ranks_max = 16, bytes_max = 1 << 16, flush_and_denormals = 0x8040 };

static char send[ranks_max * bytes_max], receive[ranks_max * bytes_max];

static unsigned control(void) {
#ifdef __SSE__
  return _mm_getcsr() & ~0x3fu;
#else
  return 0;
#endif
}

static void change(const char* how) {
  if (strcmp(how, "upward") == 0) fesetround(FE_UPWARD);
  if (strcmp(how, "downward") == 0) fesetround(FE_DOWNWARD);
  if (strcmp(how, "towardzero") == 0) fesetround(FE_TOWARDZERO);
#ifdef __SSE__
  if (strcmp(how, "flush") == 0) _mm_setcsr(_mm_getcsr() | flush_and_denormals);
#endif
  if (strcmp(how, "trap") == 0) feenableexcept(FE_ALL_EXCEPT);
}

static int own_rank(void) {
  const char* pmix = getenv("OMPI_COMM_WORLD_RANK");
  const char* own = pmix ? pmix : getenv("PMI_RANK");
  return own ? atoi(own) : -1;
}

static void exchange(int rank, int size, int bytes) {
  for (int i = 0; i < size; ++i) memset(send + (size_t)i * bytes, 10 * rank + i, bytes);
  MPI_Alltoall(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    if (receive[(size_t)(i + 1) * bytes - 1] != 10 * i + rank) MPI_Abort(MPI_COMM_WORLD, 99);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  const int early = argc > 2 && strcmp(argv[2], "early") == 0;
  const int trials = argc > 2 && strcmp(argv[2], "trials") == 0;
  if (early && own_rank() == 1) change(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!early && rank == 1) change(argv[1]);
  const unsigned before = control();
  for (int call = 0; trials && call < 150; ++call) {
    exchange(rank, size, 64);
    if (control() != before) MPI_Abort(MPI_COMM_WORLD, 97);
  }
  for (int bytes = 1; !trials && bytes <= bytes_max; bytes *= 4) {
    exchange(rank, size, bytes);
    MPI_Scan(send, receive, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Allreduce(send, receive, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (control() != before) MPI_Abort(MPI_COMM_WORLD, 98);
  }
  if (rank == 0) puts("ok");
  return MPI_Finalize();
}
