// SPDX-License-Identifier: BSD-3-Clause
// suiro-kernels: what the communication of well-known programs looks like, to compare transports
// with. One job times one kernel; `suiro bench-transport` starts jobs in turns and makes ratios.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

static const char usage[] =
    "usage: suiro-kernels KERNEL BYTES REPEAT   (under an MPI launcher)\n"
    "  pingpong  one message there and back, between the first and the last rank; time of one way\n"
    "  stream    64 messages, answered by one; time of one message\n"
    "  cold      one message there and back, after a pause of 0.1 s; time of one way\n"
    "  lone      as pingpong, while all other ranks compute\n"
    "  beside    as pingpong, while the others exchange a 64th of it in pairs now and then\n"
    "  flood     thousands of messages by blocking calls, answered by one; time of one message\n"
    "  phase     messages there and back behind 5 ms of computation; time of one way\n"
    "  receive   a message arrives behind a second of computation; time that is not hidden\n"
    "  send      a message leaves behind a second of computation; time that is not hidden\n"
    "  resume    a look for a message that is not there, behind a second of computation\n"
    "  allgather a block of every rank to everybody\n"
    "  is        counts and keys to everybody, as in the integer sort (NPB IS)\n"
    "  ft        a transposition, as in the Fourier transform (NPB FT)\n"
    "  cg        sums along rows of a grid and an exchange across it (NPB CG)\n"
    "  halo      faces to four neighbours\n"
    "  sweep     faces, then steps along rows and columns, there and back (NPB BT and SP)\n"
    "  grid      faces of ever smaller grids, and back (NPB MG)\n"
    "  wave      small messages along a diagonal front (NPB LU); BYTES are those of one\n";

struct Kernel {
  struct Place place;
  int bytes;
  int columns, rows;  // of the grid: as square as the number of ranks allows
  int rounds;         // in one call
  char *send, *receive;
  int *counts, *offsets, *numbers;
};

static const double computing_s = 1.0;
static const double phase_s = 0.005;
enum { streamed = 64, wave_messages = 100 };
enum { flood_messages = 20000, flood_bytes = 100 << 20 };

/// Computes without a call to MPI or the system.
static void compute(double seconds) {
  for (const double end = now_s() + seconds; now_s() < end;) {
    for (volatile int i = 0; i < 1000; ++i) continue;
  }
}

static int east(const struct Kernel* k, int steps) {
  const int row = k->place.rank / k->columns;
  const int column = (k->place.rank + steps + k->columns) % k->columns;
  return row * k->columns + column;
}

static int south(const struct Kernel* k, int steps) {
  return (k->place.rank + steps * k->columns + k->place.ranks) % k->place.ranks;
}

static void exchange(struct Kernel* k, int to, int from, int bytes) {
  MPI_Sendrecv(k->send, bytes, MPI_BYTE, to, 0, k->receive, bytes, MPI_BYTE, from, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double there_and_back(struct Kernel* k, int rounds) {
  const int last = k->place.ranks - 1;
  const double begin_s = now_s();
  for (int i = 0; i < rounds; ++i) {
    if (k->place.rank == 0) {
      MPI_Send(k->send, k->bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD);
      MPI_Recv(k->receive, k->bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (k->place.rank == last) {
      MPI_Recv(k->receive, k->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(k->send, k->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  }
  return (now_s() - begin_s) / rounds / 2;
}

static double pingpong(struct Kernel* k) { return there_and_back(k, k->bytes < 65536 ? 100 : 4); }

/// The last rank's pause is shorter, so that it waits for the first.
static double cold(struct Kernel* k) {
  const long pause_ns = k->place.rank == 0 ? 101000000 : 100000000;
  nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
  const double seconds = there_and_back(k, 1);
  return k->place.rank == 0 ? seconds : 0;
}

/// The others look for the end of it, but otherwise have no time for MPI.
static double lone(struct Kernel* k) {
  const int last = k->place.ranks - 1;
  const int busy = k->place.rank != 0 && k->place.rank != last;
  const double seconds = there_and_back(k, 4);
  MPI_Request ended;
  MPI_Ibarrier(MPI_COMM_WORLD, &ended);
  for (int over = 0; !over; MPI_Test(&ended, &over, MPI_STATUS_IGNORE)) {
    if (busy) compute(4 * phase_s);
  }
  return busy ? 0 : seconds;
}

/// The lower of each pair begins, after 30 to 70 ms, and says by an empty message when it is over.
static void talk_now_and_then(struct Kernel* k, MPI_Request* ended) {
  const int rank = k->place.rank, partner = k->place.ranks - 1 - rank;
  int over = 0, length = partner == rank ? 0 : k->bytes / 64;
  for (long round = 0; length > 0; ++round) {
    MPI_Status status;
    if (rank < partner) {
      const long pause_ns = 30000000 + (rank * 7919 + round * 104729) % 40000 * 1000;
      nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
      MPI_Test(ended, &over, MPI_STATUS_IGNORE);
      MPI_Send(k->send, over ? 0 : length, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(k->receive, length, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    if (rank > partner) MPI_Send(k->send, length, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
  }
}

static double beside(struct Kernel* k) {
  const int talks = k->place.rank == 0 || k->place.rank == k->place.ranks - 1;
  const double seconds = there_and_back(k, 4);
  MPI_Request ended;
  MPI_Ibarrier(MPI_COMM_WORLD, &ended);
  if (!talks) talk_now_and_then(k, &ended);
  MPI_Wait(&ended, MPI_STATUS_IGNORE);
  return talks ? seconds : 0;
}

/// As most programs do: all compute, and then there is not much to be said. The first rank computes
/// somewhat longer, so that the last one waits for it, whenever each has left the barrier before.
static double phase(struct Kernel* k) {
  compute(k->place.rank == 0 ? phase_s + 0.0005 : phase_s);
  const double seconds = there_and_back(k, 4);
  return k->place.rank == 0 ? seconds : 0;
}

static double stream(struct Kernel* k) {
  MPI_Request requests[streamed];
  MPI_Status statuses[streamed];  // MPICH's compilers warn of MPI_STATUSES_IGNORE
  const int last = k->place.ranks - 1;
  const double begin_s = now_s();
  for (int i = 0; i < streamed; ++i) {
    requests[i] = MPI_REQUEST_NULL;
    if (k->place.rank == 0) {
      MPI_Isend(k->send, k->bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, &requests[i]);
    } else if (k->place.rank == last) {
      MPI_Irecv(k->receive, k->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
    }
  }
  MPI_Waitall(streamed, requests, statuses);
  if (k->place.rank == last) MPI_Send(k->send, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  if (k->place.rank == 0) {
    MPI_Recv(k->receive, 0, MPI_BYTE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return (now_s() - begin_s) / streamed;
}

/// Nothing but the MPI holds up a sender that is faster than the receiver.
static double flood(struct Kernel* k) {
  const int last = k->place.ranks - 1;
  const int fitting = flood_bytes / (k->bytes > 0 ? k->bytes : 1) + 1;
  const int messages = fitting < flood_messages ? fitting : flood_messages;
  const double begin_s = now_s();
  for (int i = 0; i < messages; ++i) {
    if (k->place.rank == 0) MPI_Send(k->send, k->bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD);
    if (k->place.rank == last)
      MPI_Recv(k->receive, k->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (k->place.rank == last) MPI_Send(k->send, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  if (k->place.rank == 0)
    MPI_Recv(k->receive, 0, MPI_BYTE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return (now_s() - begin_s) / messages;
}

/// From the first rank to the last; `busy` computes meanwhile, and is who tells the time.
static double behind_computation(struct Kernel* k, int busy) {
  const int last = k->place.ranks - 1;
  double seconds = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (k->place.rank == 0) {
    MPI_Isend(k->send, k->bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, &request);
  } else if (k->place.rank == last) {
    MPI_Irecv(k->receive, k->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
  }
  if (k->place.rank == busy) compute(computing_s);
  const double begin_s = now_s();
  if (k->place.rank == 0 || k->place.rank == last) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (k->place.rank == busy) seconds = now_s() - begin_s;
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, busy, MPI_COMM_WORLD);
  return seconds;
}

static double receive_hidden(struct Kernel* k) { return behind_computation(k, k->place.ranks - 1); }
static double send_hidden(struct Kernel* k) { return behind_computation(k, 0); }

/// What it costs to come back to MPI, whose code and data have left the caches: no wait is shorter.
static double resume(struct Kernel* k) {
  int flag;
  double seconds = 0;
  if (k->place.rank == 0) {
    compute(computing_s);
    const double begin_s = now_s();
    MPI_Iprobe(k->place.ranks - 1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    seconds = now_s() - begin_s;
  }
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return seconds;
}

static void gather_everywhere(struct Kernel* k) {
  MPI_Allgather(k->send, k->bytes, MPI_BYTE, k->receive, k->bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void integer_sort(struct Kernel* k) {
  MPI_Allreduce(MPI_IN_PLACE, k->numbers, 1024, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(k->counts, 1, MPI_INT, k->numbers, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(k->send, k->counts, k->offsets, MPI_BYTE, k->receive, k->counts, k->offsets,
                MPI_BYTE, MPI_COMM_WORLD);
}

static void fourier_transform(struct Kernel* k) {
  MPI_Alltoall(k->send, k->bytes, MPI_BYTE, k->receive, k->bytes, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, k->numbers, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void conjugate_gradient(struct Kernel* k) {
  for (int distance = 1; distance < k->columns; distance *= 2) {
    exchange(k, east(k, distance), east(k, -distance), k->bytes);
  }
  exchange(k, k->place.ranks - 1 - k->place.rank, k->place.ranks - 1 - k->place.rank, k->bytes);
  for (int i = 0; i < 2; ++i) {
    MPI_Allreduce(MPI_IN_PLACE, k->numbers, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void faces_of(struct Kernel* k, int bytes) {
  const int to[4] = {east(k, 1), east(k, -1), south(k, 1), south(k, -1)};
  MPI_Request requests[8];
  MPI_Status statuses[8];
  const size_t face = (size_t)bytes;
  for (int i = 0; i < 4; ++i) {
    MPI_Irecv(k->receive + (size_t)i * face, bytes, MPI_BYTE, to[i ^ 1], i, MPI_COMM_WORLD,
              &requests[i]);
  }
  for (int i = 0; i < 4; ++i) {
    MPI_Isend(k->send + (size_t)i * face, bytes, MPI_BYTE, to[i], i, MPI_COMM_WORLD,
              &requests[4 + i]);
  }
  MPI_Waitall(8, requests, statuses);
}

static void faces(struct Kernel* k) { faces_of(k, k->bytes); }

/// Each rank solves a cell of its own in every step, and hands its edge on.
static void sweep(struct Kernel* k) {
  faces(k);
  for (int way = 1; way >= -1; way -= 2) {
    for (int i = 1; i < k->columns; ++i) exchange(k, east(k, way), east(k, -way), k->bytes);
    for (int i = 1; i < k->rows; ++i) exchange(k, south(k, way), south(k, -way), k->bytes);
  }
}

static void grid(struct Kernel* k) {
  int levels = 1;
  while (k->bytes >> 2 * levels > 64) ++levels;
  for (int i = 0; i < levels; ++i) faces_of(k, k->bytes >> 2 * i);
  for (int i = levels - 1; i >= 0; --i) faces_of(k, k->bytes >> 2 * i);
  MPI_Allreduce(MPI_IN_PLACE, k->numbers, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void take(struct Kernel* k, int from) {
  MPI_Recv(k->receive, k->bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double wave(struct Kernel* k) {
  const int row = k->place.rank / k->columns, column = k->place.rank % k->columns;
  const double begin_s = now_s();
  for (int i = 0; i < wave_messages; ++i) {
    if (column > 0) take(k, east(k, -1));
    if (row > 0) take(k, south(k, -1));
    if (column + 1 < k->columns) {
      MPI_Send(k->send, k->bytes, MPI_BYTE, east(k, 1), 0, MPI_COMM_WORLD);
    }
    if (row + 1 < k->rows) MPI_Send(k->send, k->bytes, MPI_BYTE, south(k, 1), 0, MPI_COMM_WORLD);
  }
  return now_s() - begin_s;
}

static double again_and_again(struct Kernel* k, void (*step)(struct Kernel*)) {
  const double begin_s = now_s();
  for (int i = 0; i < k->rounds; ++i) step(k);
  return (now_s() - begin_s) / k->rounds;
}

static const struct {
  const char* name;
  double (*run)(struct Kernel*);  // or
  void (*step)(struct Kernel*);
} kernels[] = {{"pingpong", pingpong, NULL},
               {"stream", stream, NULL},
               {"cold", cold, NULL},
               {"lone", lone, NULL},
               {"beside", beside, NULL},
               {"flood", flood, NULL},
               {"phase", phase, NULL},
               {"receive", receive_hidden, NULL},
               {"send", send_hidden, NULL},
               {"resume", resume, NULL},
               {"allgather", NULL, gather_everywhere},
               {"is", NULL, integer_sort},
               {"ft", NULL, fourier_transform},
               {"cg", NULL, conjugate_gradient},
               {"halo", NULL, faces},
               {"sweep", NULL, sweep},
               {"grid", NULL, grid},
               {"wave", wave, NULL}};

static double time_of(struct Kernel* k, size_t which) {
  return kernels[which].run ? kernels[which].run(k) : again_and_again(k, kernels[which].step);
}

/// So often that it does not matter how the ranks left the barrier before.
static int rounds_of(const struct Kernel* k, size_t which) {
  if (kernels[which].run) return 1;
  const double moved = (double)k->bytes * k->place.ranks;
  return moved < 64e3 ? 100 : moved < 640e3 ? 10 : 1;
}

static struct Kernel make_kernel(int bytes) {
  struct Kernel k = {.place = find_place(world_ranks()), .bytes = bytes};
  for (k.columns = (int)sqrt(k.place.ranks); k.place.ranks % k.columns != 0; --k.columns) continue;
  k.columns = k.place.ranks / k.columns;
  k.rows = k.place.ranks / k.columns;
  const size_t ranks = (size_t)k.place.ranks;
  const size_t blocks = ranks > 4 ? ranks : 4;
  k.send = allocate(blocks * (size_t)bytes);
  k.receive = allocate(blocks * (size_t)bytes);
  memset(k.send, k.place.rank, blocks * (size_t)bytes);
  k.counts = allocate(2 * ranks * sizeof(int));
  k.offsets = k.counts + ranks;
  k.numbers = allocate((1024 + ranks) * sizeof(int));
  memset(k.numbers, 0, (1024 + ranks) * sizeof(int));
  for (int i = 0; i < k.place.ranks; ++i) {
    k.counts[i] = bytes;
    k.offsets[i] = i * bytes;
  }
  return k;
}

/// Processor time of all ranks so far, on rank 0.
static double processor_s(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  double own = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
               1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
  double all = 0;
  MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc == 4 ? atoi(argv[2]) : -1;
  const int repeat = argc == 4 ? atoi(argv[3]) : 0;
  size_t which = 0;
  const size_t known = sizeof kernels / sizeof *kernels;
  while (which < known && (argc != 4 || strcmp(kernels[which].name, argv[1]) != 0)) ++which;
  if (which == known || bytes < 0 || repeat < 1) {
    fputs(usage, stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct Kernel k = make_kernel(bytes);
  k.rounds = rounds_of(&k, which);
  if ((double)bytes * k.place.ranks > 2e9) die("%d bytes to each rank are too many", bytes);
  if (k.place.rank == 0) write_line("{\"bench\": \"start\", \"ranks\": %d}", k.place.ranks);
  for (int i = -1; i < repeat; ++i) {  // the first is a warm-up: connections
    gentle_barrier(MPI_COMM_WORLD);
    const double before_s = processor_s();
    double mine = time_of(&k, which), slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    const double used_s = (processor_s() - before_s) / k.rounds;
    if (k.place.rank == 0 && i >= 0) {
      write_line("{\"bench\": \"kernel\", \"seconds\": %.9f, \"processor_s\": %.6f}", slowest,
                 used_s);
    }
  }
  if (k.place.rank == 0) write_line("{\"bench\": \"end\"}");
  MPI_Finalize();
  return 0;
}
