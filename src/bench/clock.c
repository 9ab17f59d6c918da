// SPDX-License-Identifier: BSD-3-Clause
// A start at an agreed time. A barrier would let the ranks go one by one, in an order that the
// library chooses.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { pings = 32, ping_tag = 1, boot_id_length = 37 };
static const double margin_first_s = 0.005, margin_limit_s = 5.0, spin_s = 100e-6;

double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double time_s) {
  struct timespec until = {.tv_sec = (time_t)time_s};
  until.tv_nsec = (long)((time_s - (double)until.tv_sec) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

void wait_gently(MPI_Request* request) {
  const struct timespec pause = {.tv_nsec = 100000};
  for (int done = 0;;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    nanosleep(&pause, NULL);
  }
}

void wait_asleep(MPI_Request* request) {
  const struct timespec pause = {.tv_nsec = 10000000};
  for (int done = 0;; nanosleep(&pause, NULL)) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done) return;
  }
}

void gentle_barrier(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  wait_gently(&request);
}

/// Ranks with the same boot id read the same clock, and an estimate could only be worse.
static void read_boot_id(char* boot_id) {
  memset(boot_id, 0, boot_id_length);
  FILE* file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (file == NULL) return;
  if (fgets(boot_id, boot_id_length, file) == NULL) boot_id[0] = 0;
  fclose(file);
}

static void answer_pings(MPI_Comm comm) {
  for (int i = 0; i < pings; ++i) {
    char ignored = 0;
    MPI_Recv(&ignored, 1, MPI_CHAR, 0, ping_tag, comm, MPI_STATUS_IGNORE);
    const double time_s = now_s();
    MPI_Send(&time_s, 1, MPI_DOUBLE, 0, ping_tag, comm);
  }
}

/// The exchange with the shortest round trip bounds the error best.
static double offset_of(int rank, MPI_Comm comm) {
  double best_s = 1e9, offset_s = 0;
  for (int i = 0; i < pings; ++i) {
    const char ignored = 0;
    double theirs_s = 0;
    const double sent_s = now_s();
    MPI_Send(&ignored, 1, MPI_CHAR, rank, ping_tag, comm);
    MPI_Recv(&theirs_s, 1, MPI_DOUBLE, rank, ping_tag, comm, MPI_STATUS_IGNORE);
    const double received_s = now_s();
    if (received_s - sent_s >= best_s) continue;
    best_s = received_s - sent_s;
    offset_s = theirs_s - (sent_s + received_s) / 2;
  }
  return offset_s;
}

static double estimate_offset(const struct Place* place) {
  char root[boot_id_length], mine[boot_id_length];
  read_boot_id(mine);
  memcpy(root, mine, sizeof root);
  MPI_Request request;
  MPI_Ibcast(root, boot_id_length, MPI_CHAR, 0, place->comm, &request);
  wait_gently(&request);
  const int foreign = mine[0] == 0 || strcmp(root, mine) != 0;
  int* all = allocate((size_t)place->ranks * sizeof *all);
  MPI_Gather(&foreign, 1, MPI_INT, all, 1, MPI_INT, 0, place->comm);
  double offset_s = 0;
  if (place->rank == 0) {
    for (int rank = 1; rank < place->ranks; ++rank) {
      if (!all[rank]) continue;
      const double theirs_s = offset_of(rank, place->comm);
      MPI_Send(&theirs_s, 1, MPI_DOUBLE, rank, ping_tag, place->comm);
    }
  } else if (foreign) {
    answer_pings(place->comm);
    MPI_Recv(&offset_s, 1, MPI_DOUBLE, 0, ping_tag, place->comm, MPI_STATUS_IGNORE);
  }
  free(all);
  gentle_barrier(place->comm);
  return offset_s;
}

struct Clock make_clock(const struct Place* place) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  return (struct Clock){.offset_s = estimate_offset(place),
                        .margin_s = margin_first_s,
                        .spin = place->ppn <= CPU_COUNT(&cores)};
}

double start_together(const struct Clock* clock, const struct Place* place, bool* late) {
  gentle_barrier(place->comm);
  double start_s = place->rank == 0 ? now_s() + clock->margin_s : 0;
  MPI_Request request;
  MPI_Ibcast(&start_s, 1, MPI_DOUBLE, 0, place->comm, &request);
  wait_gently(&request);
  start_s += clock->offset_s;
  *late = now_s() > start_s;
  if (!clock->spin) {
    sleep_until(start_s);
    return start_s;
  }
  sleep_until(start_s - spin_s);
  while (now_s() < start_s) {
  }
  return start_s;
}

static double processor_s(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

struct Times time_together(struct Clock* clock, const struct Place* place, Work work,
                           void* context) {
  for (;;) {
    bool late = false;
    const double start_s = start_together(clock, place, &late);
    const double used_s = processor_s();
    work(context);
    const double mine[3] = {now_s() - start_s, processor_s() - used_s, late};
    double largest[3], sum_s;
    MPI_Request requests[2];
    MPI_Iallreduce(mine, largest, 3, MPI_DOUBLE, MPI_MAX, place->comm, &requests[0]);
    MPI_Iallreduce(mine, &sum_s, 1, MPI_DOUBLE, MPI_SUM, place->comm, &requests[1]);
    wait_gently(&requests[0]);
    wait_gently(&requests[1]);
    if (largest[2] == 0 || clock->margin_s >= margin_limit_s)
      return (struct Times){largest[0], sum_s / place->ranks, largest[1]};
    clock->margin_s *= 2;
  }
}
