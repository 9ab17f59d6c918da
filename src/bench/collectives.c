// SPDX-License-Identifier: BSD-3-Clause
// What can be measured: the rows of the table of collectives, as far as a call stands here.
#include <stdio.h>
#include <string.h>

#include "bench.h"

// A call that nobody has written yet is no error until it is asked for.
#define COLLECTIVE(name, ...) void call_##name(const struct Exchange* e) __attribute__((weak));
#include "collectives.inc"
#undef COLLECTIVE

void call_allreduce(const struct Exchange* e) {
  MPI_Allreduce(e->send, e->receive, e->sizes.bytes / (int)sizeof(int), MPI_INT, MPI_SUM, e->comm);
}

void call_alltoall(const struct Exchange* e) {
  MPI_Alltoall(e->send, e->sizes.bytes, MPI_BYTE, e->receive, e->sizes.bytes, MPI_BYTE, e->comm);
}

void call_alltoallv(const struct Exchange* e) {
  MPI_Alltoallv(e->send, e->sent, e->sent_at, MPI_BYTE, e->receive, e->received, e->received_at,
                MPI_BYTE, e->comm);
}

void call_alltoallw(const struct Exchange* e) {
  MPI_Alltoallw(e->send, e->sent, e->sent_at, e->types, e->receive, e->received, e->received_at,
                e->types, e->comm);
}

void call_barrier(const struct Exchange* e) { MPI_Barrier(e->comm); }

void call_bcast(const struct Exchange* e) {
  MPI_Bcast(e->receive, e->sizes.bytes, MPI_BYTE, e->root, e->comm);
}

void call_reduce(const struct Exchange* e) {
  MPI_Reduce(e->send, e->receive, e->sizes.bytes / (int)sizeof(int), MPI_INT, MPI_SUM, e->root,
             e->comm);
}

static const struct Collective rows[] = {
#define COLLECTIVE(name, ...) {#name, __VA_ARGS__, call_##name},
#include "collectives.inc"
};
enum { row_count = sizeof rows / sizeof *rows };

const struct Collective* find_collective(const char* name) {
  for (int i = 0; i < row_count; ++i) {
    if (rows[i].call != NULL && strcmp(rows[i].name, name) == 0) return &rows[i];
  }
  die("\"%s\" cannot be measured; --collectives lists what can", name);
}

void list_collectives(void) {
  for (int i = 0; i < row_count; ++i) {
    if (rows[i].call != NULL) puts(rows[i].name);
  }
}
