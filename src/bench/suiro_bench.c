// SPDX-License-Identifier: BSD-3-Clause
// suiro-bench: the command line of the measuring program. `suiro bench` starts it and reads its
// output.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "usage: suiro-bench [OPTION...]   (under an MPI launcher; done in the order given)\n"
    "  --collectives                    alone and without a launcher: list what can be measured\n"
    "  --collective NAME SPREAD ROOT    one of these, for what follows; by how many percent blocks "
    "differ;\n"
    "                                   who is the root\n"
    "  --ranks COUNT                    so many ranks, the first, take part in cells and forms\n"
    "  --counters SOCKET                unix socket that answers with counters\n"
    "  --budget SECONDS                 cut repetitions of a cell that would take longer\n"
    "  --line-rate SECONDS INTERFACE    one TCP stream from each node to the next; INTERFACE may "
    "be \"-\"\n"
    "  --latencies INTERFACE            round trips from a few nodes to all others\n"
    "  --streams SECONDS INTERFACE A,B>C,D\n"
    "                                   what 1, 2, 4, 8 pairs of nodes reach together\n"
    "  --probe-switch INTERFACE         the two-target test between up to 8 nodes\n"
    "  --cell BYTES REPEAT A+B+...      time the collective with each candidate, interleaved; A@N "
    "with N bytes\n"
    "  --forms BYTES WHICH              check the collective in place, too, and with other "
    "operations;\n"
    "                                   WHICH of these from 1 on, or all: 0\n"
    "  --steps FILE BYTES REPEAT        time each round of a printed schedule\n"
    "  --follow                         go on with options from standard input, one a line, until "
    "it ends;\n"
    "                                   after each, a line says that it is done\n";

long long number(const char* what, const char* text, long long minimum, long long maximum) {
  char* end = NULL;
  const long long value = strtoll(text, &end, 10);
  if (*text == 0 || *end != 0 || value < minimum || value > maximum) {
    die("%s: \"%s\" is not a number from %lld to %lld", what, text, minimum, maximum);
  }
  return value;
}

static double seconds_of(const char* option, const char* text) {
  char* end = NULL;
  const double value = strtod(text, &end);
  if (*text == 0 || *end != 0 || !(value > 0))
    die("%s: \"%s\" is not a number of seconds", option, text);
  return value;
}

static int run_option(struct Measuring* m, char** arguments, int left);

/// A line of standard input, which only rank 0 has, on every rank; its length, or -1 at the end.
/// Ranks that wait for it leave the cores to others.
static int hear_line(const struct Place* place, char* line, int size) {
  int length = -1;
  if (place->rank == 0 && fgets(line, size, stdin) != NULL) length = (int)strlen(line);
  if (length == size - 1) die("--follow: a line of more than %d characters", size - 2);
  MPI_Request request;
  MPI_Ibcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait_asleep(&request);
  if (length > 0) MPI_Bcast(line, length + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
  return length;
}

/// Who decides what to measure next by what was measured writes here.
static void follow(struct Measuring* m) {
  enum { line_size = 1 << 16, words_limit = 16 };
  char* line = allocate(line_size);
  while (hear_line(&m->place, line, line_size) >= 0) {
    char* words[words_limit];
    int count = 0;
    for (char* word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
      if (count == words_limit) die("--follow: more than %d words", words_limit);
      words[count++] = word;
    }
    for (int i = 0; i < count;) i += run_option(m, words + i, count - i);
    if (m->place.rank == 0) write_line("{\"bench\": \"done\"}");
  }
  free(line);
}

/// Those that take no part wait here for the others, and leave them the cores.
static void wait_for_all(const struct Measuring* m) {
  if (m->place.ranks == world_ranks()) return;
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(&request);
}

/// The rank that decides, and its clock, are the same whoever takes part.
static void take_part(struct Measuring* m, int ranks) {
  if (ranks == m->place.ranks) return;
  wait_for_all(m);
  if (m->place.comm != MPI_COMM_NULL) forget_candidates(m);
  free_place(&m->place);
  m->place = find_place(ranks);
}

/// Does what one option asks; returns how many arguments it used.
static int run_option(struct Measuring* m, char** arguments, int left) {
  const char* option = arguments[0];
  const struct {
    const char* name;
    int values;
  } options[] = {{"--collective", 3}, {"--counters", 1}, {"--budget", 1},       {"--line-rate", 2},
                 {"--cell", 3},       {"--steps", 3},    {"--probe-switch", 1}, {"--latencies", 1},
                 {"--streams", 3},    {"--follow", 0},   {"--forms", 2},        {"--ranks", 1}};
  size_t which = 0;
  const size_t count = sizeof options / sizeof *options;
  while (which < count && strcmp(option, options[which].name) != 0) ++which;
  if (which == count) die("unknown option \"%s\"\n%s", option, usage);
  if (left <= options[which].values)
    die("%s needs %d values\n%s", option, options[which].values, usage);
  char** v = arguments + 1;
  if (which == 0) {
    m->collective = find_collective(v[0]);
    m->spread_percent = (int)number(option, v[1], 0, m->collective->unequal ? 100 : 0);
    m->root = (int)number(option, v[2], 0, m->collective->rooted ? m->place.ranks - 1 : 0);
  }
  const bool measures = which == 4 || which == 5 || which == 10;
  if (measures && m->collective == NULL) die("%s needs --collective before it\n%s", option, usage);
  if (which == 1) m->counters = v[0];
  if (which == 2) m->budget_s = seconds_of(option, v[0]);
  if (which == 3) measure_line_rate(&m->place, seconds_of(option, v[0]), v[1]);
  const bool takes_part = m->place.comm != MPI_COMM_NULL;
  if (which == 4 && takes_part) {
    const struct Cell cell = {number(option, v[0], 0, INT_MAX),
                              (int)number(option, v[1], 1, 1000000), v[2]};
    measure_cell(m, &cell);
  }
  if (which == 5)
    measure_steps(m, v[0], number(option, v[1], 1, INT_MAX), (int)number(option, v[2], 1, 1000000));
  if (which == 6) probe_switch(m, v[0]);
  if (which == 7) measure_latencies(&m->place, v[0]);
  if (which == 9) follow(m);
  if (which == 10 && takes_part)
    check_forms(m, (int)number(option, v[0], 0, INT_MAX), (int)number(option, v[1], 0, 6));
  if (which == 11) take_part(m, (int)number(option, v[0], 1, world_ranks()));
  if (which == 8) measure_streams(m, seconds_of(option, v[0]), v[1], v[2]);
  return 1 + options[which].values;
}

int main(int argc, char** argv) {
  if (argc < 2 || strcmp(argv[1], "--help") == 0) {
    fputs(usage, argc < 2 ? stderr : stdout);
    return argc < 2 ? 2 : 0;
  }
  if (strcmp(argv[1], "--collectives") == 0) {
    list_collectives();
    return 0;
  }
  MPI_Init(&argc, &argv);
  struct Measuring measuring = {.budget_s = 1e9};
  measuring.place = find_place(world_ranks());
  write_start(&measuring.place);
  measuring.clock = make_clock(&measuring.place);
  for (int i = 1; i < argc;) i += run_option(&measuring, argv + i, argc - i);
  if (measuring.place.rank == 0) write_line("{\"bench\": \"end\"}");
  wait_for_all(&measuring);
  free_place(&measuring.place);
  MPI_Finalize();
  return 0;
}
