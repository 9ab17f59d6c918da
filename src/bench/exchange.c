// SPDX-License-Identifier: BSD-3-Clause
// The three collectives on the same blocks: one after the other in memory, in the order of ranks.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum Collective collective_of(const char* name, const char** hint_key) {
  static const char* const keys[] = {"suiro_alltoall", "suiro_alltoallv", "suiro_alltoallw"};
  for (int i = 0; i < 3; ++i) {
    *hint_key = keys[i];
    if (strcmp(name, keys[i] + strlen("suiro_")) == 0) return (enum Collective)i;
  }
  die("\"%s\" cannot be measured: there are alltoall, alltoallv, alltoallw", name);
}

struct Exchange make_exchange(enum Collective collective, const struct Sizes* sizes,
                              const struct Place* place) {
  const size_t ranks = (size_t)place->ranks;
  struct Exchange e = {.collective = collective, .sizes = *sizes, .comm = MPI_COMM_NULL};
  e.sent = allocate(4 * ranks * sizeof(int));
  e.sent_at = e.sent + ranks;
  e.received = e.sent_at + ranks;
  e.received_at = e.received + ranks;
  e.types = allocate(ranks * sizeof *e.types);
  long long sent = 0, received = 0;
  for (int peer = 0; peer < place->ranks; ++peer) {
    e.sent[peer] = block_bytes(sizes, place->rank, peer);
    e.received[peer] = block_bytes(sizes, peer, place->rank);
    e.sent_at[peer] = (int)sent;
    e.received_at[peer] = (int)received;
    e.types[peer] = MPI_BYTE;
    sent += e.sent[peer];
    received += e.received[peer];
  }
  if (collective != alltoall && (sent > INT_MAX || received > INT_MAX)) {
    die("%lld bytes are more than a displacement can say: give smaller blocks", sent);
  }
  e.send = allocate((size_t)sent);
  e.receive = allocate((size_t)received);
  e.receive_bytes = (size_t)received;
  fill_blocks(e.send, place, sizes);
  return e;
}

void free_exchange(struct Exchange* e) {
  free(e->sent);
  free(e->types);
  free(e->send);
  free(e->receive);
}

void run_exchange(void* context) {
  struct Exchange* e = context;
  if (e->collective == alltoall) {
    MPI_Alltoall(e->send, e->sizes.bytes, MPI_BYTE, e->receive, e->sizes.bytes, MPI_BYTE, e->comm);
  } else if (e->collective == alltoallv) {
    MPI_Alltoallv(e->send, e->sent, e->sent_at, MPI_BYTE, e->receive, e->received, e->received_at,
                  MPI_BYTE, e->comm);
  } else {
    MPI_Alltoallw(e->send, e->sent, e->sent_at, e->types, e->receive, e->received, e->received_at,
                  e->types, e->comm);
  }
}
