// SPDX-License-Identifier: BSD-3-Clause
// Something to pull a link out of: messages from rank 1 to rank 0, or all-to-alls, every byte
// checked. Rank 0 prints when each was there (seconds since 1970), and how many bytes it brought.
// usage: outage stream|alltoall COUNT BYTES [FILE]: all-to-alls go on until FILE is there
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { UNDER_WAY = 4 };  // messages of the stream

static int rank, ranks, bytes;

static uint64_t next(uint64_t* state) {  // splitmix64
  uint64_t value = *state += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

static uint64_t seed_of(int number, int from, int to) {
  return ((uint64_t)number * (uint64_t)ranks + (uint64_t)from) * (uint64_t)ranks + (uint64_t)to;
}

static void fill(char* data, uint64_t seed) {
  for (int at = 0; at + 8 <= bytes; at += 8) {
    const uint64_t value = next(&seed);
    memcpy(data + at, &value, sizeof value);
  }
}

static void check(const char* data, uint64_t seed) {
  for (int at = 0; at + 8 <= bytes; at += 8) {
    const uint64_t value = next(&seed);
    if (memcmp(data + at, &value, sizeof value) == 0) continue;
    printf("WRONG: rank %d, byte %d\n", rank, at);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void tell(long arrived_bytes) {
  printf("at %.6f bytes %ld\n", now(), arrived_bytes);
  fflush(stdout);
}

static void stream(int count) {
  MPI_Request requests[UNDER_WAY];
  char* data[UNDER_WAY];
  for (int i = 0; i < UNDER_WAY; ++i) data[i] = calloc(1, (size_t)bytes);
  for (int number = 0; number < count + UNDER_WAY; ++number) {
    const int place = number % UNDER_WAY;
    if (number >= UNDER_WAY) {
      MPI_Wait(&requests[place], MPI_STATUS_IGNORE);
      if (rank == 0) {
        tell(bytes);
        check(data[place], seed_of(number - UNDER_WAY, 1, 0));
      }
    }
    if (number >= count) continue;
    if (rank == 1) {
      fill(data[place], seed_of(number, 1, 0));
      MPI_Isend(data[place], bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[place]);
    } else {
      MPI_Irecv(data[place], bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[place]);
    }
  }
  for (int i = 0; i < UNDER_WAY; ++i) free(data[i]);
}

/// Rank 0 looks.
static int goes_on(const char* until) {
  int on = until != NULL && access(until, F_OK) != 0;
  if (until != NULL) MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return on;
}

static void all_to_all(int count, const char* until) {
  const size_t block = (size_t)bytes;
  char* out = calloc((size_t)ranks, block);
  char* in = calloc((size_t)ranks, block);
  for (int number = 0; number < count || goes_on(until); ++number) {
    for (int to = 0; to < ranks; ++to) fill(out + (size_t)to * block, seed_of(number, rank, to));
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    if (rank == 0) tell((long)bytes * (ranks - 1));
    for (int from = 0; from < ranks; ++from)
      check(in + (size_t)from * block, seed_of(number, from, rank));
  }
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4 || argc > 5 || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int streaming = strcmp(argv[1], "stream") == 0;
  const int count = atoi(argv[2]);
  bytes = atoi(argv[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("begun\n");
  fflush(stdout);
  if (streaming) {
    stream(count);
  } else {
    all_to_all(count, argv[4]);
  }
  MPI_Finalize();
  return 0;
}
