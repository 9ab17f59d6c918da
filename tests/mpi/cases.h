// SPDX-License-Identifier: BSD-3-Clause
// What the *_cases.c have in common: the MPI library's own functions, found by name behind any
// preload, buffers with known contents, and a count of what differs.
#ifndef SUIRO_CASES_H
#define SUIRO_CASES_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, cases;

/// The MPI library's own PMPI function.
static void* native(const char* name) {
  static const char* const names[] = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12",
                                      "libmpi_abi.so.1"};
  void* library = NULL;
  for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; ++i) {
    library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
  }
  void* found = library ? dlsym(library, name) : NULL;
  if (found == NULL) MPI_Abort(MPI_COMM_WORLD, 9);
  return found;
}

static unsigned char* filled(size_t bytes, int seed) {
  unsigned char* buffer = malloc(bytes + 1);
  unsigned state = 2654435761u * (unsigned)(seed + 1);
  for (size_t i = 0; i < bytes; ++i) {
    state = state * 1664525u + 1013904223u;
    buffer[i] = (unsigned char)(state >> 24);
  }
  return buffer;
}

static void compare(const char* name, MPI_Comm comm, const void* ours, const void* natives,
                    size_t bytes) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  __atomic_add_fetch(&cases, 1, __ATOMIC_RELAXED);
  if (memcmp(ours, natives, bytes) == 0) return;
  __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
  printf("%s: rank %d differs from native\n", name, rank);
}

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
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

/// x -> a x + b modulo 2^32, one after the other: does not commute.
/// The gap is in between: behind them, MPICH 4.0's own reductions in order forget it.
struct Affine {
  unsigned a, untouched, b;
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

/// Types with gaps, that begin behind their address, and that list their parts backwards; and the
/// elements that user operations take.
struct Types {
  MPI_Datatype vector, resized, record, backwards, six, shifted, affine;
};

static struct Types make_types(void) {
  struct Types made;
  MPI_Type_vector(3, 2, 5, MPI_INT, &made.vector);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &made.resized);
  MPI_Type_contiguous(6, MPI_INT, &made.six);
  const int lengths[3] = {1, 2, 3};
  const MPI_Aint places[3] = {0, 8, 24};
  const MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, parts, &made.record);
  const int ones[2] = {1, 1}, swapped[2] = {1, 0};
  MPI_Type_indexed(2, ones, swapped, MPI_INT, &made.backwards);
  const int two = 2, behind = 3;
  MPI_Type_indexed(1, &two, &behind, MPI_INT, &made.shifted);
  MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &made.affine);
  MPI_Datatype* const all = &made.vector;
  for (int i = 0; i < (int)(sizeof made / sizeof *all); ++i) MPI_Type_commit(&all[i]);
  return made;
}

static void free_types(struct Types* types) {
  MPI_Datatype* const all = &types->vector;
  for (int i = 0; i < (int)(sizeof *types / sizeof *all); ++i) MPI_Type_free(&all[i]);
}

/// Twelve integers, described in one of four ways.
struct Way {
  int count;
  MPI_Datatype type;
};

static struct Way way_of(const struct Types* types, int number) {
  const struct Way ways[] = {
      {12, MPI_INT}, {2, types->vector}, {2, types->six}, {6, types->backwards}};
  return ways[number % 4];
}

/// Bytes that elements of a type may be in, wherever they begin.
static size_t room(long elements, MPI_Datatype type) {
  return (size_t)(elements * extent_of(type)) + 4096;
}

/// How many units each rank has, and where, in units: one after the other, with gaps, or backwards.
struct Layout {
  int counts[64], places[64];
  long total, end;
};
enum Sizes { none, equal, only_one, some_zero, very_uneven };
enum Order { dense, gaps, backwards };

static int units(enum Sizes sizes, int size, int rank) {
  if (sizes == very_uneven) return rank == size / 2 ? 6000 : rank % 2;
  if (sizes == only_one) return rank == size / 2;
  return sizes == some_zero ? (rank * 7 + 3) % 5 : sizes == equal;
}

/// A unit is `count` elements.
static struct Layout lay_out(MPI_Comm comm, enum Sizes sizes, enum Order order, int count) {
  struct Layout made = {.total = 0};
  int size;
  MPI_Comm_size(comm, &size);
  if (size > 64) MPI_Abort(comm, 8);
  for (int i = 0; i < size; ++i) {
    const int rank = order == backwards ? size - 1 - i : i;
    made.counts[rank] = count * units(sizes, size, rank);
    made.places[rank] = (int)made.end;
    made.total += made.counts[rank];
    made.end += made.counts[rank] + (order == dense ? 0 : 3 * count);
  }
  return made;
}

/// Collective; the program's exit code.
static int conclude(void) {
  int rank, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d failures\n" : "ok %d cases\n", all ? all : cases);
  return all != 0;
}

#endif
