// SPDX-License-Identifier: BSD-3-Clause
// The ways in which a program may call a collective: with buffers of its own or in place, with an
// operation of MPI's or of the program's, which need not commute. An algorithm that is right for
// one of them may be wrong for another.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void sum(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const int* left = in;
  int* right = inout;
  for (int i = 0; i < *count; ++i) right[i] += left[i];
}

/// Whatever the order of calls, what is left is the operand of the lowest rank: if operands are
/// joined in the order of ranks.
static void keep_left(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  memcpy(inout, in, (size_t)*count * sizeof(int));
}

/// Of the collectives with a root, those that reduce; a broadcast has but one buffer.
static bool has_in_place(const struct Collective* collective) {
  return !collective->rooted || collective->operands != operands_none;
}

/// The same call, with what this rank sends where it will get the result.
static struct Exchange in_place(const struct Exchange* e) {
  struct Exchange made = *e;
  if (e->receive.blocks == 0) return made;  // only the root of a reduction is in place
  const size_t bytes = e->send.bytes > e->receive.bytes ? e->send.bytes : e->receive.bytes;
  made.receive.base = allocate(bytes);
  memset(made.receive.base, 0xA5, bytes);
  const bool among_others = e->send.blocks < e->receive.blocks;
  const size_t at = among_others ? (size_t)e->receive.at[e->place->rank] : 0;
  memcpy(made.receive.base + at * (size_t)element_bytes(e->collective), e->send.base,
         e->send.bytes);
  made.send.base = MPI_IN_PLACE;
  return made;
}

/// The data alone, MPI's operation, one that commutes, one that does not.
enum Operation { of_mpi, own, ordered };

static const struct Form {
  const char* name;
  bool in_place;
  enum Operation operation;
} forms[] = {
    {"with two buffers", false, of_mpi},
    {"in place", true, of_mpi},
    {"with two buffers, an operation of its own", false, own},
    {"in place, an operation of its own", true, own},
    {"with two buffers, an operation that does not commute", false, ordered},
    {"in place, an operation that does not commute", true, ordered},
};
enum { form_count = sizeof forms / sizeof *forms };

static bool has_form(const struct Collective* collective, const struct Form* form) {
  if (form->in_place && !has_in_place(collective)) return false;
  return form->operation == of_mpi || collective->operands != operands_none;
}

static void check_form(const struct Measuring* m, struct Exchange* e, const struct Form* form) {
  if (m->place.rank == 0) {
    printf("{\"bench\": \"form\", \"collective\": \"%s\", \"bytes\": %d, \"form\": ",
           e->collective->name, e->sizes.bytes);
    write_text(form->name);
    write_line("}");
  }
  e->op = MPI_SUM;
  e->keeps_left = form->operation == ordered;
  if (form->operation == own) MPI_Op_create(sum, 1, &e->op);
  if (form->operation == ordered) MPI_Op_create(keep_left, 0, &e->op);
  clear_exchange(e);
  struct Exchange call = form->in_place ? in_place(e) : *e;
  run_exchange(&call);
  check_exchange(&call, &m->clock, form->name);
  if (call.receive.base != e->receive.base) free(call.receive.base);
  if (form->operation != of_mpi) MPI_Op_free(&e->op);
}

void check_forms(const struct Measuring* m, int bytes, int which) {
  const struct Sizes sizes = {bytes, m->spread_percent};
  struct Exchange e = make_exchange(m->collective, &sizes, m->root, &m->place);
  MPI_Comm_dup(m->place.comm, &e.comm);
  for (int i = 0; i < form_count; ++i) {
    const bool asked = which == 0 || which == i + 1;
    if (asked && has_form(m->collective, &forms[i])) check_form(m, &e, &forms[i]);
  }
  MPI_Comm_free(&e.comm);
  free_exchange(&e);
}
