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

/// Collective; the program's exit code.
static int conclude(void) {
  int rank, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d failures\n" : "ok %d cases\n", all ? all : cases);
  return all != 0;
}

#endif
