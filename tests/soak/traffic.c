// SPDX-License-Identifier: BSD-3-Clause
// Random messages among all ranks for a given time, every byte checked: lengths from 0 to the
// largest, few tags, receives with and without wildcards, before and after the message, probes,
// synchronous sends, and all-to-alls. All ranks make the same plan of a round from its seed, so
// each knows what must come to it, in which order. Waits sleep between two looks: the program
// takes little of the processor, and the transport works behind its back.
// usage: traffic SECONDS SEED LARGEST [STATUS_SECONDS]
#include <dirent.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 24, TAGS = 3, PAUSE_US = 5000 };
enum Asking { EXACTLY, ANY_SOURCE, ANY_TAG, ANYTHING, BY_PROBE, ASKING_KINDS };

typedef struct {
  int source, target, tag, bytes, synchronous, taken;
  uint64_t seed;
} Message;

static int rank, ranks, largest;
static uint64_t checked_bytes;

static uint64_t next(uint64_t* state) {  // splitmix64
  uint64_t value = *state += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

static int below(uint64_t* state, int limit) { return (int)(next(state) % (uint64_t)limit); }

static void fill(unsigned char* bytes, size_t count, uint64_t seed) {
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t value = next(&seed);
    memcpy(bytes + at, &value, count - at < sizeof value ? count - at : sizeof value);
  }
}

static void wrong(const char* what, const Message* message) {
  printf("WRONG: rank %d: %s (from %d to %d, tag %d, %d bytes)\n", rank, what, message->source,
         message->target, message->tag, message->bytes);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(const unsigned char* bytes, size_t count, uint64_t seed, const Message* about) {
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t value = next(&seed);
    if (memcmp(bytes + at, &value, count - at < sizeof value ? count - at : sizeof value) != 0)
      wrong("other bytes than were sent", about);
  }
  checked_bytes += count;
}

static void await(int count, MPI_Request* requests, MPI_Status* statuses) {
  for (int done = 0; !done;) {
    MPI_Testall(count, requests, &done, statuses);
    if (!done) usleep(PAUSE_US);
  }
}

static int length(uint64_t* state) {
  switch (below(state, 8)) {
    case 0:
      return 0;
    case 1:
      return below(state, largest);
    case 2:
    case 3:
      return below(state, largest < 100000 ? largest : 100000);
    default:
      return below(state, 300);
  }
}

static void plan(Message* messages, int probing, uint64_t* state) {
  for (int i = 0; i < MESSAGES; ++i) {
    Message* message = &messages[i];
    message->source = below(state, ranks);
    message->target = (message->source + 1 + below(state, ranks - 1)) % ranks;
    message->tag = below(state, TAGS);
    message->bytes = length(state);
    // Open MPI 4.1 over libfabric never acknowledges a synchronous send that a probe has found.
    message->synchronous = !probing && below(state, 4) == 0;
    message->seed = next(state);
    message->taken = 0;
  }
}

/// The messages of a sender with one tag come in their order.
static void take(Message* messages, const MPI_Status* status, const unsigned char* bytes) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  for (int i = 0; i < MESSAGES; ++i) {
    Message* message = &messages[i];
    if (message->target != rank || message->source != status->MPI_SOURCE ||
        message->tag != status->MPI_TAG || message->taken)
      continue;
    if (message->bytes != count) wrong("overtaken, or of another length", message);
    message->taken = 1;
    expect(bytes, (size_t)count, message->seed, message);
    return;
  }
  const Message none = {status->MPI_SOURCE, rank, status->MPI_TAG, count, 0, 0, 0};
  wrong("nobody sent this", &none);
}

static void send_all(const Message* messages, MPI_Request* requests, unsigned char** buffers) {
  for (int i = 0; i < MESSAGES; ++i) {
    const Message* message = &messages[i];
    requests[i] = MPI_REQUEST_NULL;
    buffers[i] = NULL;
    if (message->source != rank) continue;
    buffers[i] = malloc((size_t)message->bytes + 1);
    fill(buffers[i], (size_t)message->bytes, message->seed);
    (message->synchronous ? MPI_Issend : MPI_Isend)(buffers[i], message->bytes, MPI_BYTE,
                                                    message->target, message->tag, MPI_COMM_WORLD,
                                                    &requests[i]);
  }
}

static void receive_by_probe(Message* messages, int count) {
  while (count > 0) {
    int found, bytes;
    MPI_Message handle;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &handle, &status);
    if (!found) {
      usleep(PAUSE_US);
      continue;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    unsigned char* buffer = malloc((size_t)bytes + 1);
    MPI_Request request;
    MPI_Imrecv(buffer, bytes, MPI_BYTE, &handle, &request);
    MPI_Status received;
    await(1, &request, &received);
    take(messages, &received, buffer);
    free(buffer);
    --count;
  }
}

/// All receives of a round ask alike, so that none takes what only another could have.
static int post(const Message* messages, enum Asking asking, MPI_Request* requests,
                unsigned char** buffers) {
  int count = 0;
  for (int i = 0; i < MESSAGES; ++i) {
    if (messages[i].target != rank) continue;
    const int any_source = asking == ANY_SOURCE || asking == ANYTHING;
    const int any_tag = asking == ANY_TAG || asking == ANYTHING;
    buffers[count] = malloc((size_t)largest);
    MPI_Irecv(buffers[count], largest, MPI_BYTE, any_source ? MPI_ANY_SOURCE : messages[i].source,
              any_tag ? MPI_ANY_TAG : messages[i].tag, MPI_COMM_WORLD, &requests[count]);
    ++count;
  }
  return count;
}

static void exchange(uint64_t* state) {
  Message messages[MESSAGES];
  MPI_Request sends[MESSAGES], receives[MESSAGES];
  MPI_Status statuses[MESSAGES];
  unsigned char *sent[MESSAGES], *received[MESSAGES];
  const int first = below(state, 2 * ASKING_KINDS);
  const int probing = first == BY_PROBE;
  plan(messages, probing, state);
  const enum Asking asking = probing ? BY_PROBE : (enum Asking)((first + rank) % BY_PROBE);
  const int late = below(state, 2) == 0;
  int expected = 0, posted = 0;
  for (int i = 0; i < MESSAGES; ++i) expected += messages[i].target == rank;
  if (!late && asking != BY_PROBE) posted = post(messages, asking, receives, received);
  send_all(messages, sends, sent);
  if (late) usleep(4 * PAUSE_US);
  if (asking == BY_PROBE)
    receive_by_probe(messages, expected);
  else if (late)
    posted = post(messages, asking, receives, received);
  await(posted, receives, statuses);
  for (int i = 0; i < posted; ++i) {
    take(messages, &statuses[i], received[i]);
    free(received[i]);
  }
  await(MESSAGES, sends, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MESSAGES; ++i) free(sent[i]);
}

static void all_to_all(uint64_t* state) {
  const uint64_t seed = next(state);
  const int block = 1 + below(state, largest / 8);
  unsigned char* sent = malloc((size_t)block * (size_t)ranks);
  unsigned char* received = malloc((size_t)block * (size_t)ranks);
  for (int to = 0; to < ranks; ++to)
    fill(sent + (size_t)to * (size_t)block, (size_t)block, seed ^ (uint64_t)(rank * ranks + to));
  MPI_Request request;
  MPI_Ialltoall(sent, block, MPI_BYTE, received, block, MPI_BYTE, MPI_COMM_WORLD, &request);
  await(1, &request, MPI_STATUSES_IGNORE);
  for (int from = 0; from < ranks; ++from) {
    const Message about = {from, rank, -1, block, 0, 0, 0};
    expect(received + (size_t)from * (size_t)block, (size_t)block,
           seed ^ (uint64_t)(from * ranks + rank), &about);
  }
  free(sent);
  free(received);
}

static int descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL) ++count;
  if (folder != NULL) closedir(folder);
  return count - 3;  // the folder itself, . and ..
}

static void report(long rounds) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  printf("rank %d rounds %ld checked_mb %.1f resident_kb %ld descriptors %d\n", rank, rounds,
         (double)checked_bytes / 1e6, resident * sysconf(_SC_PAGESIZE) / 1024, descriptors());
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4 || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const double begin = MPI_Wtime(), seconds = atof(argv[1]);
  const double status_seconds = argc > 4 ? atof(argv[4]) : 10;
  uint64_t state = strtoull(argv[2], NULL, 10);
  largest = atoi(argv[3]);
  double reported = begin;
  long rounds = 0;
  for (int over = 0; !over; ++rounds) {
    if (below(&state, 8) == 0)
      all_to_all(&state);
    else
      exchange(&state);
    if (MPI_Wtime() - reported > status_seconds) {
      reported = MPI_Wtime();
      report(rounds);
    }
    const int mine = MPI_Wtime() - begin > seconds;
    MPI_Request request;
    MPI_Iallreduce(&mine, &over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    await(1, &request, MPI_STATUSES_IGNORE);
  }
  report(rounds);
  MPI_Finalize();
  if (rank == 0) printf("ok %ld rounds\n", rounds);
  return 0;
}
