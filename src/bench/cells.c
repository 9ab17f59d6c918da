// SPDX-License-Identifier: BSD-3-Clause
// One cell line: a size and its candidates, interleaved repetition by repetition, so that whatever
// disturbs the machine disturbs all candidates alike. A candidate may have a size of its own: rules
// of an MPI choose by size, so sizes beside each other can run different algorithms of its own.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { candidates_limit = 512 };

struct Candidate {
  const struct Collective* collective;
  char* name;
  MPI_Comm comm;
};

static struct Candidate known[candidates_limit];
static int known_count = 0;

/// "auto" gives no hint: the library under test decides as it would for a user, and does more for
/// MPI_COMM_WORLD, which lasts. Where it learns the sizes of blocks that differ, it has a
/// communicator of its own, as what it has learnt is not for other sizes.
static MPI_Comm make_comm(const struct Measuring* m, const char* name) {
  const bool is_auto = strcmp(name, "auto") == 0;
  if (is_auto && !m->collective->unequal) return m->place.comm;
  MPI_Comm comm;
  MPI_Comm_dup(m->place.comm, &comm);
  if (is_auto) return comm;
  char key[MPI_MAX_INFO_KEY];
  snprintf(key, sizeof key, "suiro_%s", m->collective->name);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, name);
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  return comm;
}

static MPI_Comm comm_of(const struct Measuring* m, const char* name) {
  for (int i = 0; i < known_count; ++i) {
    if (strcmp(known[i].name, name) == 0) return known[i].comm;
  }
  if (known_count == candidates_limit) die("more than %d candidates", candidates_limit);
  known[known_count] = (struct Candidate){m->collective, strdup(name), make_comm(m, name)};
  return known[known_count++].comm;
}

/// What is of other collectives goes, and so does "auto".
static void forget_others(const struct Measuring* m, const struct Collective* collective) {
  for (int i = 0; i < known_count; ++i) {
    if (known[i].collective == collective && strcmp(known[i].name, "auto") != 0) continue;
    if (known[i].comm != m->place.comm) MPI_Comm_free(&known[i].comm);
    free(known[i].name);
    known[i--] = known[--known_count];
  }
}

void forget_candidates(const struct Measuring* m) { forget_others(m, NULL); }

/// The beginning of a line about what is measured.
static void write_head(const char* kind, const struct Exchange* e) {
  printf("{\"bench\": \"%s\", \"collective\": \"%s\", \"bytes\": %d", kind, e->collective->name,
         e->sizes.bytes);
}

/// A candidate of a cell.
struct Entry {
  char* name;
  struct Exchange* exchange;
};

/// Of a size, shared by all entries that have it.
static struct Exchange* exchange_of(const struct Measuring* m, long long bytes,
                                    const struct Entry* entries, int count) {
  for (int i = 0; i < count; ++i) {
    if (entries[i].exchange->sizes.bytes == bytes) return entries[i].exchange;
  }
  struct Exchange* made = allocate(sizeof *made);
  const struct Sizes sizes = {(int)bytes, m->spread_percent};
  *made = make_exchange(m->collective, &sizes, m->root, &m->place);
  return made;
}

/// Takes NAME+NAME@BYTES+... apart; returns how many.
static int make_entries(const struct Measuring* m, long long bytes, char* joined,
                        struct Entry* entries) {
  int count = 0;
  for (char* name = strtok(joined, "+"); name != NULL; name = strtok(NULL, "+")) {
    if (count == candidates_limit) die("more than %d candidates", candidates_limit);
    char* at = strchr(name, '@');
    if (at != NULL) *at++ = 0;
    const long long own = at != NULL ? number("--cell", at, 0, INT_MAX) : bytes;
    entries[count].exchange = exchange_of(m, own, entries, count);
    entries[count++].name = name;
  }
  return count;
}

static void free_entries(struct Entry* entries, int count) {
  for (int i = 0; i < count; ++i) {
    struct Exchange* exchange = entries[i].exchange;
    if (exchange == NULL) continue;
    for (int j = i; j < count; ++j) {
      if (entries[j].exchange == exchange) entries[j].exchange = NULL;
    }
    free_exchange(exchange);
    free(exchange);
  }
}

/// What is not counted: the first call makes connections and communicators, and its data are
/// checked. "auto" learns in its first calls, as many as there is time for.
static double warm_up(struct Measuring* m, struct Exchange* e, const char* name) {
  enum { calls_until_auto_has_learnt = 500 };
  const double time_for_it_s = m->budget_s / 4;
  const int calls_max = strcmp(name, "auto") == 0 ? calls_until_auto_has_learnt : 1;
  struct Times times = {0};
  double spent_s = 0;
  e->comm = comm_of(m, name);
  for (int calls = 0; calls < calls_max && spent_s <= time_for_it_s; ++calls) {
    clear_exchange(e);
    times = time_together(&m->clock, &m->place, run_exchange, e);
    check_exchange(e, &m->clock, name);
    spent_s += times.last_s + m->clock.margin_s;  // on a busy machine starts take longer than calls
  }
  if (m->place.rank == 0) {
    write_head("warm_up", e);
    printf(", \"candidate\": ");
    write_text(name);
    write_line(", \"seconds\": %.9f}", times.last_s);
  }
  return times.last_s;
}

static void sample(struct Measuring* m, struct Exchange* e, const char* name, int repetition) {
  e->comm = comm_of(m, name);
  if (m->place.rank == 0) reset_counters(m->counters);
  const struct Times times = time_together(&m->clock, &m->place, run_exchange, e);
  if (m->place.rank != 0) return;
  write_head("sample", e);
  printf(", \"repetition\": %d, \"candidate\": ", repetition);
  write_text(name);
  write_line(", \"seconds\": %.9f, \"mean_s\": %.9f, \"processor_s\": %.9f, \"counters\": %s}",
             times.last_s, times.mean_s, times.processor_s, read_counters(m->counters));
}

/// A call finds connections as the call before has left them, so nobody may always have the same
/// predecessor. All ranks draw the same order. (Fisher-Yates; the generator is Numerical Recipes'.)
static void shuffle(struct Entry* entries, int count, unsigned* state) {
  for (int last = count - 1; last > 0; --last) {
    *state = *state * 1664525U + 1013904223U;
    const int chosen = (int)((*state >> 16) % (unsigned)(last + 1));
    const struct Entry entry = entries[last];
    entries[last] = entries[chosen];
    entries[chosen] = entry;
  }
}

void measure_cell(struct Measuring* m, const struct Cell* cell) {
  forget_others(m, m->collective);
  char* joined = strdup(cell->candidates);
  struct Entry* entries = allocate(candidates_limit * sizeof *entries);
  const int count = make_entries(m, cell->bytes, joined, entries);
  if (count == 0) die("--cell: no candidates");
  double round_s = 0;
  for (int i = 0; i < count; ++i) round_s += warm_up(m, entries[i].exchange, entries[i].name);
  unsigned lots = 1;  // the same on every rank
  int repetitions = cell->repetitions;
  if (round_s * repetitions > m->budget_s) repetitions = (int)(m->budget_s / round_s);
  if (repetitions < 1) repetitions = 1;
  if (m->place.rank == 0) {
    // Of equal blocks, of messages and of vectors it is known without counting.
    const struct Exchange* first = entries[0].exchange;
    const long long busiest = m->spread_percent > 0 ? busiest_bytes(first) : -1;
    write_head("cell", first);
    write_line(", \"repetitions\": %d, \"busiest\": %lld}", repetitions, busiest);
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    shuffle(entries, count, &lots);
    for (int i = 0; i < count; ++i) sample(m, entries[i].exchange, entries[i].name, repetition);
  }
  free_entries(entries, count);
  free(entries);
  free(joined);
}
