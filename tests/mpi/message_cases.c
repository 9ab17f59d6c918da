// SPDX-License-Identifier: BSD-3-Clause
// Every kind of argument that MPI_Bcast, MPI_Reduce, MPI_Allreduce and MPI_Barrier take, each
// compared bit for bit with what the MPI library itself delivers (its PMPI function, found by name
// behind any preload).
// usage: message_cases [in_place]       prints "ok N cases" on rank 0, or what differs, and then
// exits with 1.
#include <time.h>
#include <unistd.h>

#include "cases.h"

typedef int (*bcast_function)(void*, int, MPI_Datatype, int, MPI_Comm);
typedef int (*reduce_function)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int (*allreduce_function)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
/// Also at roots other than 0, with operations that commute. MPICH 4.0's own MPI_Reduce crashes
/// there.
static int in_place_everywhere;
static bcast_function native_bcast;
static reduce_function native_reduce;
static allreduce_function native_allreduce;

static void find_native(void) {
  *(void**)&native_bcast = native("PMPI_Bcast");
  *(void**)&native_reduce = native("PMPI_Reduce");
  *(void**)&native_allreduce = native("PMPI_Allreduce");
}

static void bcast_from(const char* name, MPI_Comm comm, int count, MPI_Datatype type, int root) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const size_t bytes = (size_t)(count * extent_of(type)) + 4096;
  unsigned char* ours = filled(bytes, rank);
  unsigned char* native = filled(bytes, rank);
  MPI_Bcast(ours, count, type, root, comm);
  native_bcast(native, count, type, root, comm);
  compare(name, comm, ours, native, bytes);
  free(ours);
  free(native);
}

static void bcast(const char* name, MPI_Comm comm, int count, MPI_Datatype type) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int root = 0; root < size; ++root) bcast_from(name, comm, count, type, root);
}

static void reduce_to(const char* name, MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op,
                      int root, int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const size_t bytes = (size_t)(count * extent_of(type)) + 4096;
  unsigned char* send = operands(bytes, type, rank);
  unsigned char* ours = operands(bytes, type, in_place ? rank : 100 + rank);
  unsigned char* native = operands(bytes, type, in_place ? rank : 100 + rank);
  const void* given = in_place && rank == root ? MPI_IN_PLACE : (const void*)send;
  // Only the root has a receive buffer.
  MPI_Reduce(given, rank == root ? ours : NULL, count, type, op, root, comm);
  native_reduce(send, rank == root ? native : NULL, count, type, op, root, comm);
  compare_elements(name, comm, ours, native, rank == root ? count : 0, type);
  free(send);
  free(ours);
  free(native);
}

static void allreduce(const char* name, MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op,
                      int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const size_t bytes = (size_t)(count * extent_of(type)) + 4096;
  unsigned char* send = operands(bytes, type, rank);
  unsigned char* ours = operands(bytes, type, in_place ? rank : 100 + rank);
  unsigned char* native = operands(bytes, type, in_place ? rank : 100 + rank);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : send, ours, count, type, op, comm);
  native_allreduce(send, native, count, type, op, comm);
  compare_elements(name, comm, ours, native, count, type);
  free(send);
  free(ours);
  free(native);
}

static void reductions(const char* name, MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op) {
  int size;
  MPI_Comm_size(comm, &size);
  int commutes;
  MPI_Op_commutative(op, &commutes);
  for (int root = 0; root < size; ++root) {
    const int in_place = root == 0 || (in_place_everywhere && commutes);
    reduce_to(name, comm, count, type, op, root, in_place && root % 2 == 0);
  }
  allreduce(name, comm, count, type, op, 0);
  allreduce(name, comm, count, type, op, 1);
}

static void user_operations(MPI_Comm comm) {
  struct Types types = make_types();
  MPI_Op ordered, commuting;
  MPI_Op_create(compose, 0, &ordered);
  MPI_Op_create(add_both, 1, &commuting);
  for (int count = 1; count < 4000; count = count * 7 + 1) {
    reductions("does not commute", comm, count, types.affine, ordered);
    reductions("commutes", comm, count, types.affine, commuting);
  }
  MPI_Op_free(&ordered);
  MPI_Op_free(&commuting);
  free_types(&types);
}

static void pairs(MPI_Comm comm) {
  reductions("minloc", comm, 501, MPI_2INT, MPI_MINLOC);
  reductions("maxloc with a gap", comm, 77, MPI_DOUBLE_INT, MPI_MAXLOC);
  reductions("minloc with a gap", comm, 1000, MPI_SHORT_INT, MPI_MINLOC);
}

static void datatypes(MPI_Comm comm) {
  struct Types types = make_types();
  bcast("vector", comm, 101, types.vector);
  bcast("resized", comm, 5, types.resized);
  bcast("struct", comm, 33, types.record);
  bcast("backwards", comm, 400, types.backwards);
  bcast("shifted", comm, 300, types.shifted);
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int root = 0; root < size; ++root) {
    const struct Way way = way_of(&types, rank);
    bcast_from("each in its way", comm, 175 * way.count, way.type, root);
  }
  free_types(&types);
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/// No rank may leave before the last has come. All are on this machine, whose clock is one.
static void barrier(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int late = 0; late < size; ++late) {
    if (rank == late) usleep(20000);
    const double came_s = now_s();
    MPI_Barrier(comm);
    const double left_s = now_s();
    double last_s = 0;
    native_allreduce(&came_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, comm);
    const int right = left_s >= last_s, expected = 1;
    compare("barrier", comm, &right, &expected, sizeof right);
  }
}

static void everything(MPI_Comm comm) {
  bcast("a byte", comm, 1, MPI_BYTE);
  bcast("nothing", comm, 0, MPI_INT);
  bcast("doubles", comm, 1000, MPI_DOUBLE);
  bcast("large", comm, 70001, MPI_INT);
  reductions("an integer", comm, 1, MPI_INT, MPI_BXOR);
  reductions("nothing", comm, 0, MPI_INT, MPI_MAX);
  reductions("integers", comm, 999, MPI_UNSIGNED, MPI_SUM);
  reductions("doubles", comm, 1000, MPI_DOUBLE, MPI_SUM);
  reductions("large", comm, 70001, MPI_FLOAT, MPI_PROD);
  datatypes(comm);
  pairs(comm);
  user_operations(comm);
  barrier(comm);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  find_native();
  in_place_everywhere = argc > 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  everything(MPI_COMM_WORLD);
  // Nodes in another order, and ranks that are all on one node.
  MPI_Comm backwards, some;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &some);
  everything(backwards);
  everything(some);
  everything(MPI_COMM_SELF);
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&some);
  const int code = conclude();
  MPI_Finalize();
  return code;
}
