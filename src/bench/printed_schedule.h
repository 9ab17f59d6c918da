// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a printed schedule (docs/schedule-format.md), read back. The algorithm is
// never described again here.
#ifndef SUIRO_BENCH_PRINTED_SCHEDULE_H
#define SUIRO_BENCH_PRINTED_SCHEDULE_H

#include "bench.h"

struct Blocks {
  char buffer;  // 's'end, 'r'eceive or s'c'ratch
  long long first, count;
};

struct Step {
  char action;  // 's'end, 'r'eceive or 'c'opy
  int round, peer;
  struct Blocks source, target;
};

struct PrintedSchedule {
  char algorithm[65];
  long long ranks, rounds, scratch;
  struct Step* steps;  // this rank's, in order
  size_t count;
};

/// Collective: rank 0 reads the file, every rank keeps its own part. Ends the job on what it cannot
/// run.
struct PrintedSchedule read_schedule(const char* file_name, const struct Place* place);

#endif
