// SPDX-License-Identifier: BSD-3-Clause
// JSON lines on the standard output of rank 0: launchers forward it from wherever rank 0 runs.
// Every line starts with
// {"bench": so that a reader can tell it from what the launcher or the program's libraries print.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

_Noreturn void die(const char* format, ...) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "suiro-bench: rank %d: ", rank);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

void* allocate(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) die("no memory for %zu bytes; try smaller sizes", bytes);
  return memory;
}

void write_line(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
}

void write_text(const char* text) {
  putchar('"');
  for (const unsigned char* c = (const unsigned char*)text; *c; ++c) {
    if (*c == '"' || *c == '\\') putchar('\\');
    if (*c >= ' ') putchar(*c);
  }
  putchar('"');
}

static void write_library_version(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  for (char* tab = version; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  write_text(version);
}

/// Collective: every rank's node, and every node's name.
void write_start(const struct Place* place) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  const int width = MPI_MAX_PROCESSOR_NAME;
  char* names = allocate((size_t)place->ranks * (size_t)width);
  MPI_Gather(name, width, MPI_CHAR, names, width, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (place->rank == 0) {
    printf("{\"bench\": \"start\", \"mpi\": ");
    write_library_version();
    printf(", \"nodes\": %d, \"node_of_rank\": [", place->nodes);
    for (int rank = 0; rank < place->ranks; ++rank) {
      printf(rank ? ", %d" : "%d", place->node_of_rank[rank]);
    }
    printf("], \"hosts\": [");
    for (int rank = 0, next = 0; rank < place->ranks; ++rank) {
      if (place->node_of_rank[rank] != next) continue;
      if (next++) printf(", ");
      write_text(names + (size_t)rank * (size_t)width);
    }
    write_line("]}");
  }
  free(names);
}
