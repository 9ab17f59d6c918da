// SPDX-License-Identifier: BSD-3-Clause
// A rank whose datatype is not committed is refused by MPI, alone. It commits it and calls again,
// while the others are in their first call. What all get then is compared with what was sent.
// Where MPI has large counts, some types are made with them.
// usage: uncommitted       prints "ok"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ints = 1000, ranks_max = 16, calls = 12 };

static int rank, size;
static int sent[ranks_max * ints], received[ranks_max * ints];

static void require(const char* what, int call, int holds) {
  if (holds) return;
  fprintf(stderr, "rank %d, call %d: %s\n", rank, call, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int exchange(int which, MPI_Datatype type, MPI_Comm comm) {
  switch (which) {
    case 0:
      return MPI_Bcast(received, 1, type, 0, comm);
    case 1:
      return MPI_Allgather(sent, 1, type, received, 1, type, comm);
    case 2:
      return MPI_Alltoall(sent, 1, type, received, 1, type, comm);
    default:
      return MPI_Gather(sent, 1, type, received, 1, type, 1, comm);
  }
}

/// What rank `other` sent, in this call.
static int expected(int which, int call, int other) {
  const int sender = which == 0 ? 0 : other;
  return 100 * call + sender;
}

static void call_once(int which, int call, MPI_Comm comm) {
  MPI_Datatype type;
#if MPI_VERSION >= 4
  if (call % 3 == 0)
    MPI_Type_vector_c(ints / 2, 2, 2, MPI_INT, &type);
  else
#endif
    MPI_Type_contiguous(ints, MPI_INT, &type);
  for (int i = 0; i < size * ints; ++i) sent[i] = 100 * call + rank;
  for (int i = 0; i < size * ints; ++i) received[i] = which == 0 && rank == 0 ? sent[i] : -1;
  if (rank == 1 && call % 2 == 1) {
    require("it was not refused", call, exchange(which, type, comm) != MPI_SUCCESS);
  }
  MPI_Type_commit(&type);
  require("it was refused", call, exchange(which, type, comm) == MPI_SUCCESS);
  const int gets = which != 3 || rank == 1;
  const int blocks = which == 0 ? 1 : size;
  for (int i = 0; gets && i < blocks * ints; ++i) {
    require("wrong data", call, received[i] == expected(which, call, i / ints));
  }
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Comm comms[2] = {MPI_COMM_WORLD};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    for (int which = 0; which < 4; ++which) {
      for (int call = 0; call < calls; ++call) call_once(which, call, comms[i]);
    }
  }
  MPI_Comm_free(&comms[1]);
  if (rank == 0) puts("ok");
  MPI_Finalize();
  return 0;
}
