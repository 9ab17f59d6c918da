// SPDX-License-Identifier: BSD-3-Clause
#include "printed_schedule.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { file_limit = 1 << 30 };

/// The whole file on every rank: only rank 0's machine needs to have it.
static char* read_everywhere(const char* file_name, const struct Place* place) {
  char* text = NULL;
  size_t length = 0;
  if (place->rank == 0) {
    FILE* file = fopen(file_name, "r");
    if (file == NULL) die("%s: %s", file_name, strerror(errno));
    if (getdelim(&text, &length, 0, file) < 0) die("%s: is empty", file_name);
    fclose(file);
    length = strlen(text) + 1;
    if (length > file_limit) die("%s: is larger than %d bytes", file_name, file_limit);
  }
  unsigned long long bytes = length;
  MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  if (place->rank != 0) text = allocate(bytes);
  MPI_Bcast(text, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

/// "send[3 x 2]" or "send[3]"; returns what follows, or NULL.
static const char* take_blocks(const char* text, struct Blocks* blocks) {
  static const struct {
    const char* name;
    char buffer;
  } names[] = {{"send[", 's'}, {"receive[", 'r'}, {"scratch[", 'c'}};
  for (size_t i = 0; i < 3; ++i) {
    const size_t length = strlen(names[i].name);
    if (strncmp(text, names[i].name, length) != 0) continue;
    char* end = NULL;
    blocks->buffer = names[i].buffer;
    blocks->first = strtoll(text + length, &end, 10);
    blocks->count = strncmp(end, " x ", 3) == 0 ? strtoll(end + 3, &end, 10) : 1;
    return *end == ']' ? end + 1 : NULL;
  }
  return NULL;
}

static bool take_peer(const char* text, const char* arrow, int* peer) {
  if (text == NULL || strncmp(text, arrow, strlen(arrow)) != 0) return false;
  char* end = NULL;
  *peer = (int)strtol(text + strlen(arrow), &end, 10);
  return *end == 0;
}

static bool parse_step(const char* line, struct Step* step) {
  step->peer = -1;
  if (strncmp(line, "send ", 5) == 0) {
    step->action = 's';
    return take_peer(take_blocks(line + 5, &step->source), " -> ", &step->peer);
  }
  if (strncmp(line, "receive ", 8) == 0) {
    step->action = 'r';
    return take_peer(take_blocks(line + 8, &step->target), " <- ", &step->peer);
  }
  if (strncmp(line, "copy ", 5) != 0) return false;
  step->action = 'c';
  const char* rest = take_blocks(line + 5, &step->source);
  if (rest == NULL || strncmp(rest, " -> ", 4) != 0) return false;
  rest = take_blocks(rest + 4, &step->target);
  return rest != NULL && *rest == 0;
}

static bool within(const struct Blocks* blocks, const struct PrintedSchedule* schedule) {
  const long long size = blocks->buffer == 'c' ? schedule->scratch : schedule->ranks;
  return blocks->first >= 0 && blocks->count >= 0 && blocks->first <= size &&
         blocks->count <= size - blocks->first;
}

/// A step that would touch memory or ranks that do not exist is refused: the file may have been
/// edited.
static bool valid(const struct Step* step, const struct PrintedSchedule* schedule) {
  if (step->action != 'c' && (step->peer < 0 || step->peer >= schedule->ranks)) return false;
  if (step->action != 'r' && !within(&step->source, schedule)) return false;
  if (step->action != 's' && (!within(&step->target, schedule) || step->target.buffer == 's'))
    return false;
  return step->action != 'c' || step->source.count == step->target.count;
}

static void append(struct PrintedSchedule* schedule, const struct Step* step) {
  if ((schedule->count & (schedule->count - 1)) == 0) {
    const size_t room = schedule->count == 0 ? 1 : schedule->count * 2;
    schedule->steps = realloc(schedule->steps, room * sizeof *schedule->steps);
    if (schedule->steps == NULL) die("no memory for a schedule of %zu steps", room);
  }
  schedule->steps[schedule->count++] = *step;
}

struct PrintedSchedule read_schedule(const char* file_name, const struct Place* place) {
  struct PrintedSchedule schedule = {0};
  char* text = read_everywhere(file_name, place);
  long long rank = -1, round = -1;
  char* rest = text;
  int number = 0;
  for (char* line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
    ++number;
    line += strspn(line, " \t");
    if (sscanf(line, "algorithm %64s", schedule.algorithm) == 1) continue;
    if (sscanf(line, "ranks %lld", &schedule.ranks) == 1) continue;
    if (sscanf(line, "rounds %lld", &schedule.rounds) == 1) continue;
    if (sscanf(line, "scratch %lld", &schedule.scratch) == 1) continue;
    if (sscanf(line, "rank %lld", &rank) == 1 || sscanf(line, "round %lld", &round) == 1) continue;
    if (rank != place->rank || *line == 0) continue;
    struct Step step = {.round = (int)round};
    if (round < 0 || round >= schedule.rounds || !parse_step(line, &step) ||
        !valid(&step, &schedule)) {
      die("%s:%d: not a step that can be timed: \"%s\"", file_name, number, line);
    }
    append(&schedule, &step);
  }
  if (schedule.ranks != place->ranks || schedule.rounds < 1 || schedule.rounds > INT_MAX) {
    die("%s: is for %lld ranks, the job has %d", file_name, schedule.ranks, place->ranks);
  }
  free(text);
  return schedule;
}
