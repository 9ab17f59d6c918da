// SPDX-License-Identifier: BSD-3-Clause
// The buffers of one call, what they hold before it, and what they must hold after it. Blocks
// stand one after the other in memory, in the order of ranks.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static size_t integers(const struct Exchange* e) { return e->receive_bytes / sizeof(int); }

static bool has_result(const struct Exchange* e) {
  return !e->collective->rooted || e->place->rank == e->root;
}

static void make_blocks(struct Exchange* e) {
  const struct Place* place = e->place;
  const size_t ranks = (size_t)place->ranks;
  e->sent = allocate(4 * ranks * sizeof(int));
  e->sent_at = e->sent + ranks;
  e->received = e->sent_at + ranks;
  e->received_at = e->received + ranks;
  e->types = allocate(ranks * sizeof *e->types);
  long long sent = 0, received = 0;
  for (int peer = 0; peer < place->ranks; ++peer) {
    e->sent[peer] = block_bytes(&e->sizes, place->rank, peer);
    e->received[peer] = block_bytes(&e->sizes, peer, place->rank);
    e->sent_at[peer] = (int)sent;
    e->received_at[peer] = (int)received;
    e->types[peer] = MPI_BYTE;
    sent += e->sent[peer];
    received += e->received[peer];
  }
  if (e->collective->unequal && (sent > INT_MAX || received > INT_MAX))
    die("%lld bytes are more than a displacement can say: give smaller blocks", sent);
  e->send = allocate((size_t)sent);
  e->receive = allocate((size_t)received);
  e->receive_bytes = (size_t)received;
  fill_blocks(e->send, place, &e->sizes);
}

static void make_vectors(struct Exchange* e) {
  if (e->sizes.bytes % (int)sizeof(int) != 0)
    die("%d bytes are no whole number of integers", e->sizes.bytes);
  e->receive_bytes = (size_t)e->sizes.bytes;
  e->send = allocate(e->receive_bytes);
  e->receive = allocate(e->receive_bytes);
  fill_vector((int*)e->send, integers(e), e->place);
}

static void make_message(struct Exchange* e) {
  e->receive_bytes = (size_t)e->sizes.bytes;
  e->receive = e->send = allocate(e->receive_bytes);
  if (e->place->rank == e->root) fill_message(e->send, e->receive_bytes, e->root);
}

struct Exchange make_exchange(const struct Collective* collective, const struct Sizes* sizes,
                              int root, const struct Place* place) {
  struct Exchange e = {.collective = collective,
                       .place = place,
                       .sizes = *sizes,
                       .root = root,
                       .comm = MPI_COMM_NULL};
  if (collective->data == data_blocks) make_blocks(&e);
  if (collective->data == data_vectors) make_vectors(&e);
  if (collective->data == data_message) make_message(&e);
  return e;
}

void free_exchange(struct Exchange* e) {
  free(e->sent);
  free(e->types);
  if (e->send != e->receive) free(e->send);
  free(e->receive);
}

void run_exchange(void* context) {
  const struct Exchange* e = context;
  e->collective->call(e);
}

void clear_exchange(struct Exchange* e) {
  const bool keeps = e->collective->data == data_message && e->place->rank == e->root;
  if (e->receive != NULL && !keeps) memset(e->receive, 0xA5, e->receive_bytes);
}

void check_exchange(struct Exchange* e, const struct Clock* clock, const char* name) {
  const enum Data data = e->collective->data;
  if (data == data_blocks) check_blocks(e->receive, e->place, &e->sizes, name);
  if (data == data_message) check_message(e->receive, e->receive_bytes, e->root, name);
  if (data == data_vectors && has_result(e))
    check_sum((const int*)e->receive, integers(e), e->place, name);
  if (data == data_none) check_barrier(e, clock, name);
}
