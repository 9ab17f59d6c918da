// SPDX-License-Identifier: BSD-3-Clause
// Calls of one size, as often as a trial lasts (or as the first word says), and communicators that
// end in the middle of one. Now and then a rank first makes a call that MPI refuses. Prints "right"
// when all data were.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { numbers = 15 };
static int rank, ranks;

static void check(const int* got, int call, const char* what) {
  for (int from = 0; from < ranks; ++from) {
    for (int i = 0; i < numbers; ++i) {
      if (got[from * numbers + i] == 1000 * from + 7 * call + i) continue;
      printf("rank %d: %s of call %d: wrong data from rank %d\n", rank, what, call, from);
      fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

static void exchange(MPI_Comm comm, int calls, int* send, int* receive) {
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < ranks * numbers; ++i) send[i] = 1000 * rank + 7 * call + i % numbers;
    if (call % 5 == rank) MPI_Alltoall(send, -1, MPI_INT, receive, numbers, MPI_INT, comm);
    MPI_Alltoall(send, numbers, MPI_INT, receive, numbers, MPI_INT, comm);
    check(receive, call, "MPI_Alltoall");
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls_all = argc > 1 ? atoi(argv[1]) : 60;
  int* send = malloc(sizeof(int) * (size_t)ranks * numbers);
  int* receive = malloc(sizeof(int) * (size_t)ranks * numbers);
  for (int calls = 4; calls < 12; ++calls) {
    MPI_Comm short_lived;
    MPI_Comm_dup(MPI_COMM_WORLD, &short_lived);
    MPI_Comm_set_errhandler(short_lived, MPI_ERRORS_RETURN);
    exchange(short_lived, calls, send, receive);
    MPI_Comm_free(&short_lived);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  exchange(MPI_COMM_WORLD, calls_all, send, receive);
  if (rank == 0) printf("right\n");
  free(send);
  free(receive);
  MPI_Finalize();
  return 0;
}
