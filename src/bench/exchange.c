// SPDX-License-Identifier: BSD-3-Clause
// One call of the collective that is measured: its buffers, as its row of the table says.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static enum BlockCount side_of(const struct Exchange* e, const struct Side* side) {
  const bool is_root = !e->collective->rooted || e->place->rank == e->root;
  return is_root ? side->root : side->others;
}

/// Blocks stand one after the other, in the order of ranks.
static struct Buffer make_buffer(const struct Exchange* e, enum BlockCount blocks, bool sends) {
  const int most = blocks == blocks_one_per_rank ? e->place->ranks : 1;
  struct Buffer buffer = {.blocks = blocks == blocks_none ? 0 : most};
  buffer.counts = allocate(2 * (size_t)buffer.blocks * sizeof(int));
  buffer.at = buffer.counts + buffer.blocks;
  const int rank = e->place->rank;
  long long elements = 0;
  for (int i = 0; i < buffer.blocks; ++i) {
    const int other = blocks == blocks_one ? e->root : i;
    const long long count = sends ? block_elements(e, rank, other) : block_elements(e, other, rank);
    buffer.counts[i] = (int)count;
    buffer.at[i] = (int)elements;
    elements += count;
  }
  if (e->collective->unequal && elements > INT_MAX)
    die("%lld elements are more than a displacement can say: give smaller blocks", elements);
  buffer.bytes = (size_t)elements * (size_t)element_bytes(e->collective);
  buffer.base = allocate(buffer.bytes);
  return buffer;
}

static void free_buffer(struct Buffer* buffer) {
  free(buffer->counts);
  free(buffer->base);
}

struct Exchange make_exchange(const struct Collective* collective, const struct Sizes* sizes,
                              int root, const struct Place* place) {
  const int unit = element_bytes(collective);
  if (sizes->bytes % unit != 0) die("%d bytes are no whole number of integers", sizes->bytes);
  struct Exchange e = {.collective = collective,
                       .place = place,
                       .sizes = *sizes,
                       .root = root,
                       .count = sizes->bytes / unit,
                       .type = collective->operands == operands_none ? MPI_BYTE : MPI_INT,
                       .op = MPI_SUM,
                       .types = allocate((size_t)place->ranks * sizeof(MPI_Datatype)),
                       .comm = MPI_COMM_NULL};
  for (int rank = 0; rank < place->ranks; ++rank) e.types[rank] = e.type;
  e.send = make_buffer(&e, side_of(&e, &collective->sends), true);
  e.receive = make_buffer(&e, side_of(&e, &collective->gets), false);
  fill_contents(&e);
  return e;
}

void free_exchange(struct Exchange* e) {
  free_buffer(&e->send);
  free_buffer(&e->receive);
  free(e->types);
}

void run_exchange(void* context) {
  const struct Exchange* e = context;
  e->collective->call(e);
}

void clear_exchange(struct Exchange* e) { memset(e->receive.base, 0xA5, e->receive.bytes); }

void check_exchange(struct Exchange* e, const struct Clock* clock, const char* name) {
  if (e->collective->bytes == bytes_none) {
    check_barrier(e, clock, name);
  } else {
    check_contents(e, name);
  }
}
