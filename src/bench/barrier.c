// SPDX-License-Identifier: BSD-3-Clause
// A barrier delivers nothing that could be looked at afterwards. What it promises is that no rank
// leaves before every rank has come.
#include <time.h>

#include "bench.h"

static const double late_s = 0.005;  // more than a barrier takes, so that nobody else is last
static const double clock_error_s = 0.001;  // between machines

void check_barrier(struct Exchange* e, const struct Clock* clock, const char* name) {
  const struct timespec pause = {.tv_nsec = (long)(late_s * 1e9)};
  for (int late = 0; late < e->place->ranks; ++late) {
    gentle_barrier(e->place->comm);
    if (e->place->rank == late) nanosleep(&pause, NULL);
    const double came_s = now_s() - clock->offset_s;
    run_exchange(e);
    const double left_s = now_s() - clock->offset_s;
    double last_s = 0;
    MPI_Request request;
    MPI_Iallreduce(&came_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, e->place->comm, &request);
    wait_gently(&request);
    if (left_s + clock_error_s >= last_s) continue;
    die("\"%s\" let a rank leave %.1f ms before the last one had come", name,
        1e3 * (last_s - left_s));
  }
}
