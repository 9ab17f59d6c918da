// SPDX-License-Identifier: BSD-3-Clause
// The paper's figures 4 and 9: every round of a schedule on its own, all ranks starting it
// together, so that the time of a round is the network's and not that of the drift between ranks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "printed_schedule.h"

enum { step_tag = 2 };

struct Running {
  const struct PrintedSchedule* schedule;
  size_t first, end;  // the steps of the round that runs now
  size_t bytes;
  unsigned char *send, *receive, *scratch;
  MPI_Request* requests;
  MPI_Status* statuses;
  MPI_Datatype block;
};

static unsigned char* address(const struct Running* r, const struct Blocks* blocks) {
  unsigned char* base = blocks->buffer == 's'   ? r->send
                        : blocks->buffer == 'r' ? r->receive
                                                : r->scratch;
  return base + (size_t)blocks->first * r->bytes;
}

static void run_round(void* context) {
  struct Running* r = context;
  int posted = 0;
  for (size_t i = r->first; i < r->end; ++i) {
    const struct Step* s = &r->schedule->steps[i];
    if (s->action == 'r') {
      MPI_Irecv(address(r, &s->target), (int)s->target.count, r->block, s->peer, step_tag,
                MPI_COMM_WORLD, &r->requests[posted++]);
    } else if (s->action == 's') {
      MPI_Isend(address(r, &s->source), (int)s->source.count, r->block, s->peer, step_tag,
                MPI_COMM_WORLD, &r->requests[posted++]);
    } else {
      memmove(address(r, &s->target), address(r, &s->source), (size_t)s->source.count * r->bytes);
    }
  }
  MPI_Waitall(posted, r->requests, r->statuses);
}

/// Blocks that all ranks together move in each round: [2 * round] inside nodes, [2 * round + 1]
/// between nodes.
static long long* count_blocks(const struct PrintedSchedule* schedule, const struct Place* place) {
  const size_t length = 2 * (size_t)schedule->rounds;
  long long* counts = allocate(length * sizeof *counts);
  memset(counts, 0, length * sizeof *counts);
  for (size_t i = 0; i < schedule->count; ++i) {
    const struct Step* s = &schedule->steps[i];
    if (s->action == 'r') continue;
    const bool away = s->action == 's' && place->node_of_rank[s->peer] != place->node;
    counts[2 * s->round + away] += s->source.count;
  }
  MPI_Allreduce(MPI_IN_PLACE, counts, (int)length, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  return counts;
}

static void run_rounds(struct Measuring* m, struct Running* r, const long long* counts,
                       int repetition) {
  const struct PrintedSchedule* schedule = r->schedule;
  r->end = 0;
  for (int round = 0; round < schedule->rounds; ++round) {
    for (r->first = r->end; r->end < schedule->count && schedule->steps[r->end].round == round;)
      ++r->end;
    const double seconds = time_together(&m->clock, &m->place, run_round, r).last_s;
    if (m->place.rank != 0 || repetition < 0) continue;
    printf("{\"bench\": \"step\", \"bytes\": %zu, \"schedule\": ", r->bytes);
    write_text(schedule->algorithm);
    write_line(
        ", \"repetition\": %d, \"round\": %d, \"home\": %lld, \"away\": %lld, \"seconds\": %.9f}",
        repetition, round, counts[2 * round], counts[2 * round + 1], seconds);
  }
}

void measure_steps(struct Measuring* m, const char* schedule_file, long long bytes,
                   int repetitions) {
  if (m->collective->bytes != bytes_per_pair_of_ranks)
    die("rounds of %s cannot run alone", m->collective->name);
  const struct PrintedSchedule schedule = read_schedule(schedule_file, &m->place);
  const struct Sizes sizes = {(int)bytes, 0};
  struct Exchange e = make_exchange(m->collective, &sizes, 0, &m->place);
  struct Running running = {.schedule = &schedule,
                            .bytes = (size_t)bytes,
                            .send = e.send.base,
                            .receive = e.receive.base,
                            .scratch = allocate((size_t)schedule.scratch * (size_t)bytes),
                            .requests = allocate((schedule.count + 1) * sizeof(MPI_Request)),
                            .statuses = allocate((schedule.count + 1) * sizeof(MPI_Status))};
  MPI_Type_contiguous((int)bytes, MPI_BYTE, &running.block);
  MPI_Type_commit(&running.block);
  long long* counts = count_blocks(&schedule, &m->place);
  clear_exchange(&e);
  // Repetition -1 is not counted: it makes connections, and its data are checked.
  run_rounds(m, &running, counts, -1);
  check_exchange(&e, &m->clock, schedule.algorithm);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    run_rounds(m, &running, counts, repetition);
  }
  MPI_Type_free(&running.block);
  free(counts);
  free(running.statuses);
  free(running.requests);
  free(running.scratch);
  free_exchange(&e);
  free(schedule.steps);
}
