// SPDX-License-Identifier: BSD-3-Clause
// Every kind of argument that MPI_Bcast, MPI_Barrier and all reductions and scans take, each
// compared bit for bit with what the MPI library itself delivers (its PMPI function, found by name
// behind any preload). usage: message_cases [in_place]       prints "ok N cases" on rank 0, or what
// differs, and then exits with 1.
#include <time.h>
#include <unistd.h>

#include "cases.h"

/// The program's own, as anything preloaded has it, and the MPI library's.
static struct Functions {
  __typeof__(&MPI_Bcast) bcast;
  __typeof__(&MPI_Reduce) reduce;
  __typeof__(&MPI_Allreduce) allreduce;
  __typeof__(&MPI_Reduce_scatter) reduce_scatter;
  __typeof__(&MPI_Reduce_scatter_block) reduce_scatter_block;
  __typeof__(&MPI_Scan) scan;
  __typeof__(&MPI_Exscan) exscan;
} both[2] = {{MPI_Bcast, MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter, MPI_Reduce_scatter_block,
              MPI_Scan, MPI_Exscan}};

static void find_native(void) {
  static const char* const names[] = {"PMPI_Bcast",
                                      "PMPI_Reduce",
                                      "PMPI_Allreduce",
                                      "PMPI_Reduce_scatter",
                                      "PMPI_Reduce_scatter_block",
                                      "PMPI_Scan",
                                      "PMPI_Exscan"};
  void** const found = (void**)&both[1];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) found[i] = native(names[i]);
}

/// Reduce in place also at roots other than 0, with operations that commute. MPICH 4.0's own
/// MPI_Reduce crashes there.
static int in_place_everywhere;

static void bcast_from(const char* name, MPI_Comm comm, int count, MPI_Datatype type, int root) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const size_t bytes = room(count, type);
  unsigned char* ours = filled(bytes, rank);
  unsigned char* native = filled(bytes, rank);
  both[0].bcast(ours, count, type, root, comm);
  both[1].bcast(native, count, type, root, comm);
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
  const size_t bytes = room(count, type);
  unsigned char* send = operands(bytes, type, rank);
  unsigned char* ours = operands(bytes, type, in_place ? rank : 100 + rank);
  unsigned char* native = operands(bytes, type, in_place ? rank : 100 + rank);
  const void* given = in_place && rank == root ? MPI_IN_PLACE : (const void*)send;
  // Only the root has a receive buffer.
  both[0].reduce(given, rank == root ? ours : NULL, count, type, op, root, comm);
  both[1].reduce(send, rank == root ? native : NULL, count, type, op, root, comm);
  compare_elements(name, comm, ours, native, rank == root ? count : 0, type);
  free(send);
  free(ours);
  free(native);
}

/// How vectors are reduced where there is no root.
enum Kind { to_all, scattered, scattered_block, scanned, scanned_before, kinds };

static void reduce_by(const struct Functions* functions, enum Kind kind, const void* send,
                      void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm) {
  if (kind == to_all) functions->allreduce(send, receive, counts[0], type, op, comm);
  if (kind == scattered) functions->reduce_scatter(send, receive, counts, type, op, comm);
  if (kind == scattered_block) {
    functions->reduce_scatter_block(send, receive, counts[0], type, op, comm);
  }
  if (kind == scanned) functions->scan(send, receive, counts[0], type, op, comm);
  if (kind == scanned_before) functions->exscan(send, receive, counts[0], type, op, comm);
}

/// The MPI library's own is never called in place: what it delivers is the same.
static void reduction(const char* name, MPI_Comm comm, enum Kind kind, const struct Layout* blocks,
                      MPI_Datatype type, MPI_Op op, int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const int vector = kind == scattered || kind == scattered_block;
  // What the first rank has after an exclusive scan is undefined.
  const int count = kind == scanned_before && rank == 0 ? 0 : blocks->counts[rank];
  const size_t bytes = room(vector ? blocks->total : blocks->counts[0], type);
  unsigned char *send = operands(bytes, type, rank), *received[2];
  for (int i = 0; i < 2; ++i) received[i] = operands(bytes, type, in_place ? rank : 100 + rank);
  void* const place = in_place || blocks->counts[rank] > 0 ? received[0] : NULL;
  reduce_by(&both[0], kind, in_place ? MPI_IN_PLACE : send, place, blocks->counts, type, op, comm);
  reduce_by(&both[1], kind, send, received[1], blocks->counts, type, op, comm);
  compare_elements(name, comm, received[0], received[1], count, type);
  for (int i = 0; i < 2; ++i) free(received[i]);
  free(send);
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
  const struct Layout alike = lay_out(comm, equal, dense, count);
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (enum Kind kind = 0; kind < kinds; ++kind) {
      reduction(name, comm, kind, &alike, type, op, in_place);
    }
  }
}

static void uneven_reductions(MPI_Comm comm, MPI_Datatype type, MPI_Op op) {
  for (enum Sizes sizes = only_one; sizes <= very_uneven; ++sizes) {
    const struct Layout blocks = lay_out(comm, sizes, dense, sizes == some_zero ? 300 : 1);
    reduction("uneven", comm, scattered, &blocks, type, op, 0);
    reduction("uneven in place", comm, scattered, &blocks, type, op, 1);
  }
}

static void user_operations(MPI_Comm comm) {
  struct Types types = make_types();
  MPI_Op ordered, commuting;
  MPI_Op_create(compose, 0, &ordered);
  MPI_Op_create(add_both, 1, &commuting);
  for (int count = 1; count < 1000; count = count * 7 + 1) {
    reductions("does not commute", comm, count, types.affine, ordered);
    reductions("commutes", comm, count, types.affine, commuting);
  }
  uneven_reductions(comm, types.affine, ordered);
  uneven_reductions(comm, types.affine, commuting);
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
    both[1].allreduce(&came_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, comm);
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
  reductions("integers", comm, 99, MPI_UNSIGNED, MPI_SUM);
  reductions("doubles", comm, 100, MPI_DOUBLE, MPI_SUM);
  reductions("large", comm, 9001, MPI_FLOAT, MPI_PROD);
  uneven_reductions(comm, MPI_DOUBLE, MPI_SUM);
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
