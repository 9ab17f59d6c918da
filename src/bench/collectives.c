// SPDX-License-Identifier: BSD-3-Clause
// What can be measured: the rows of the table of collectives, as far as a call stands here.
#include <stdio.h>
#include <string.h>

#include "bench.h"

// A call that nobody has written yet is no error until it is asked for.
#define COLLECTIVE(name, ...) void call_##name(const struct Exchange* e) __attribute__((weak));
#include "collectives.inc"
#undef COLLECTIVE

void call_allgather(const struct Exchange* e) {
  MPI_Allgather(e->send.base, e->count, e->type, e->receive.base, e->count, e->type, e->comm);
}

void call_allgatherv(const struct Exchange* e) {
  MPI_Allgatherv(e->send.base, e->send.counts[0], e->type, e->receive.base, e->receive.counts,
                 e->receive.at, e->type, e->comm);
}

void call_allreduce(const struct Exchange* e) {
  MPI_Allreduce(e->send.base, e->receive.base, e->count, e->type, e->op, e->comm);
}

void call_alltoall(const struct Exchange* e) {
  MPI_Alltoall(e->send.base, e->count, e->type, e->receive.base, e->count, e->type, e->comm);
}

void call_alltoallv(const struct Exchange* e) {
  MPI_Alltoallv(e->send.base, e->send.counts, e->send.at, e->type, e->receive.base,
                e->receive.counts, e->receive.at, e->type, e->comm);
}

void call_alltoallw(const struct Exchange* e) {
  MPI_Alltoallw(e->send.base, e->send.counts, e->send.at, e->types, e->receive.base,
                e->receive.counts, e->receive.at, e->types, e->comm);
}

void call_barrier(const struct Exchange* e) { MPI_Barrier(e->comm); }

void call_bcast(const struct Exchange* e) {
  void* message = e->send.blocks > 0 ? e->send.base : e->receive.base;
  MPI_Bcast(message, e->count, e->type, e->root, e->comm);
}

void call_exscan(const struct Exchange* e) {
  MPI_Exscan(e->send.base, e->receive.base, e->count, e->type, e->op, e->comm);
}

void call_gather(const struct Exchange* e) {
  MPI_Gather(e->send.base, e->count, e->type, e->receive.base, e->count, e->type, e->root, e->comm);
}

void call_gatherv(const struct Exchange* e) {
  MPI_Gatherv(e->send.base, e->send.counts[0], e->type, e->receive.base, e->receive.counts,
              e->receive.at, e->type, e->root, e->comm);
}

void call_reduce(const struct Exchange* e) {
  MPI_Reduce(e->send.base, e->receive.base, e->count, e->type, e->op, e->root, e->comm);
}

void call_reduce_scatter(const struct Exchange* e) {
  MPI_Reduce_scatter(e->send.base, e->receive.base, e->send.counts, e->type, e->op, e->comm);
}

void call_reduce_scatter_block(const struct Exchange* e) {
  MPI_Reduce_scatter_block(e->send.base, e->receive.base, e->count, e->type, e->op, e->comm);
}

void call_scan(const struct Exchange* e) {
  MPI_Scan(e->send.base, e->receive.base, e->count, e->type, e->op, e->comm);
}

void call_scatter(const struct Exchange* e) {
  MPI_Scatter(e->send.base, e->count, e->type, e->receive.base, e->count, e->type, e->root,
              e->comm);
}

void call_scatterv(const struct Exchange* e) {
  MPI_Scatterv(e->send.base, e->send.counts, e->send.at, e->type, e->receive.base,
               e->receive.counts[0], e->type, e->root, e->comm);
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
