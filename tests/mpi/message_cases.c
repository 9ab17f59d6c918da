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

/// Numbers that are small whole ones in any type, so that sums are exact in any order.
static void fill_numbers(void* buffer, size_t bytes, MPI_Datatype type, int seed) {
  unsigned state = 2654435761u * (unsigned)(seed + 1);
  for (size_t i = 0; i < bytes; ++i) {
    state = state * 1664525u + 1013904223u;
    const int number = (int)(state >> 24) % 3 + 1;
    if (type == MPI_DOUBLE && i < bytes / sizeof(double)) ((double*)buffer)[i] = number;
    if (type == MPI_FLOAT && i < bytes / sizeof(float)) ((float*)buffer)[i] = (float)number;
  }
}

/// MPI_DOUBLE_INT; a number that is none would compare in no order.
static void fill_pairs(void* buffer, size_t bytes, int seed) {
  struct {
    double value;
    int place;
  }* pairs = buffer;
  for (size_t i = 0; i < bytes / sizeof *pairs; ++i) {
    pairs[i].value = (double)((i * 7 + (size_t)seed * 3) % 5);
    pairs[i].place = seed;
  }
}

static unsigned char* operands(size_t bytes, MPI_Datatype type, int rank) {
  unsigned char* buffer = filled(bytes, rank);
  fill_numbers(buffer, bytes, type, rank);
  if (type == MPI_DOUBLE_INT) fill_pairs(buffer, bytes, rank);
  return buffer;
}

/// What the datatype covers: the MPI may write into its gaps.
static void compare_elements(const char* name, MPI_Comm comm, const void* ours, const void* natives,
                             int count, MPI_Datatype type) {
  int bytes = 0, our_bytes = 0, native_bytes = 0;
  MPI_Pack_size(count, type, MPI_COMM_SELF, &bytes);
  unsigned char* packed = malloc(2 * (size_t)bytes + 1);
  MPI_Pack(ours, count, type, packed, bytes, &our_bytes, MPI_COMM_SELF);
  MPI_Pack(natives, count, type, packed + bytes, bytes, &native_bytes, MPI_COMM_SELF);
  compare(name, comm, packed, packed + bytes, (size_t)our_bytes);
  free(packed);
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

/// x -> a x + b modulo 2^32, one after the other: does not commute.
struct Affine {
  unsigned a, b, untouched;
};

static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const struct Affine* first = in;
  struct Affine* second = inout;
  for (int i = 0; i < *count; ++i) {
    second[i].b = second[i].a * first[i].b + second[i].b;
    second[i].a *= first[i].a;
  }
}

static void add_both(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const struct Affine* first = in;
  struct Affine* second = inout;
  for (int i = 0; i < *count; ++i) {
    second[i].a += first[i].a;
    second[i].b ^= first[i].b;
  }
}

static void user_operations(MPI_Comm comm) {
  MPI_Datatype pair, spaced;
  MPI_Op ordered, commuting;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
  MPI_Type_create_resized(pair, 0, sizeof(struct Affine), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Op_create(compose, 0, &ordered);
  MPI_Op_create(add_both, 1, &commuting);
  for (int count = 1; count < 4000; count = count * 7 + 1) {
    reductions("does not commute", comm, count, spaced, ordered);
    reductions("commutes", comm, count, spaced, commuting);
  }
  MPI_Op_free(&ordered);
  MPI_Op_free(&commuting);
  MPI_Type_free(&spaced);
  MPI_Type_free(&pair);
}

static void pairs(MPI_Comm comm) {
  reductions("minloc", comm, 501, MPI_2INT, MPI_MINLOC);
  reductions("maxloc with a gap", comm, 77, MPI_DOUBLE_INT, MPI_MAXLOC);
  reductions("minloc with a gap", comm, 1000, MPI_SHORT_INT, MPI_MINLOC);
}

static void datatypes(MPI_Comm comm) {
  MPI_Datatype vector, resized, record, backwards, six;
  MPI_Type_vector(3, 2, 5, MPI_INT, &vector);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &resized);
  MPI_Type_contiguous(6, MPI_INT, &six);
  const int lengths[3] = {1, 2, 3};
  const MPI_Aint places[3] = {0, 8, 24};
  const MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, parts, &record);
  const int ones[2] = {1, 1}, swapped[2] = {1, 0};
  MPI_Type_indexed(2, ones, swapped, MPI_INT, &backwards);
  MPI_Datatype* const made[] = {&vector, &resized, &record, &backwards, &six};
  for (int i = 0; i < 5; ++i) MPI_Type_commit(made[i]);
  bcast("vector", comm, 101, vector);
  bcast("resized", comm, 5, resized);
  bcast("struct", comm, 33, record);
  bcast("backwards", comm, 400, backwards);
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  // The same 2100 integers, described by each rank in its own way.
  const struct {
    int count;
    MPI_Datatype type;
  } ways[] = {{2100, MPI_INT}, {350, vector}, {350, six}, {1050, backwards}};
  for (int root = 0; root < size; ++root) {
    bcast_from("each in its way", comm, ways[rank % 4].count, ways[rank % 4].type, root);
  }
  for (int i = 0; i < 5; ++i) MPI_Type_free(made[i]);
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
