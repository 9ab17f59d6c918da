// SPDX-License-Identifier: BSD-3-Clause
// Data that tell where they come from, so that a candidate that delivers wrong data is found out
// before it is timed.
#include <limits.h>
#include <stdint.h>

#include "bench.h"

/// A byte that differs between blocks and between places in a block. A block has a source and an
/// index among the blocks of its source.
static unsigned char pattern(int source, int index, size_t place) {
  const unsigned at = (unsigned)place;
  return (unsigned char)((unsigned)source * 131U + (unsigned)index * 31U + at * 7U + (at >> 8) +
                         (at >> 16) * 37U);
}

// Of what is reduced, an element is weight(rank) * factor(place) + term(place). Any other set of
// ranks than the right one, each once, has another sum of weights, unless by a rare chance; and
// elements that are not in their places have other factors and terms. So one sum of weights checks
// a whole vector.

enum { factors = 61, terms = 251 };

static int factor(size_t place) { return 1 + (int)(place % factors); }
static int term(size_t place) { return (int)(place % terms); }

/// Looks drawn by lot (the generator is Knuth's MMIX); small enough that no sum overflows.
static int weight(int rank, int ranks) {
  uint64_t state = (uint64_t)rank + 1;
  for (int i = 0; i < 4; ++i) state = state * 6364136223846793005U + 1442695040888963407U;
  const uint64_t limit = (uint64_t)(INT_MAX / ranks - terms) / factors;
  return (int)(1 + (state >> 33) % limit);
}

static void fill_blocks(struct Exchange* e) {
  unsigned char* block = e->send.base;
  for (int index = 0; index < e->send.blocks; ++index) {
    const size_t bytes = (size_t)e->send.counts[index];
    for (size_t i = 0; i < bytes; ++i) block[i] = pattern(e->place->rank, index, i);
    block += bytes;
  }
}

static void fill_vector(struct Exchange* e) {
  int* vector = (int*)e->send.base;
  const int own = weight(e->place->rank, e->place->ranks);
  for (size_t i = 0; i < e->send.bytes / sizeof(int); ++i) vector[i] = own * factor(i) + term(i);
}

void fill_contents(struct Exchange* e) {
  if (e->collective->operands == operands_none) {
    fill_blocks(e);
  } else {
    fill_vector(e);
  }
}

static void check_block(const unsigned char* block, size_t bytes, int source, int index,
                        const char* name) {
  for (size_t i = 0; i < bytes; ++i) {
    if (block[i] == pattern(source, index, i)) continue;
    die("wrong data from \"%s\": what rank %d sent differs at byte %zu of %zu", name, source, i,
        bytes);
  }
}

static void check_blocks(const struct Exchange* e, const char* name) {
  const int index = e->collective->sends.root == blocks_one ? 0 : e->place->rank;
  const unsigned char* block = e->receive.base;
  for (int i = 0; i < e->receive.blocks; ++i) {
    const size_t bytes = (size_t)e->receive.counts[i];
    check_block(block, bytes, e->receive.blocks > 1 ? i : e->root, index, name);
    block += bytes;
  }
}

static int operands(const struct Exchange* e) {
  if (e->keeps_left) return 1;
  if (e->collective->operands == operands_all) return e->place->ranks;
  return e->place->rank + (e->collective->operands == operands_up_to_own);
}

static void check_sums(const struct Exchange* e, const char* name) {
  const int summed = operands(e);
  if (summed == 0) return;  // MPI does not say what is there
  const int* vector = (const int*)e->receive.base;
  const size_t count = e->receive.bytes / sizeof(int);
  int weights = 0;
  for (int rank = 0; rank < summed; ++rank) weights += weight(rank, e->place->ranks);
  size_t first = 0;  // of all, where the vectors have a block for each rank
  for (int rank = 0; e->send.blocks > 1 && rank < e->place->rank; ++rank)
    first += (size_t)e->send.counts[rank];
  for (size_t i = 0; i < count; ++i) {
    const int sum = weights * factor(first + i) + summed * term(first + i);
    if (vector[i] == sum) continue;
    die("wrong data from \"%s\": element %zu of %zu is %d, the sum over %d ranks is %d", name, i,
        count, vector[i], summed, sum);
  }
}

void check_contents(const struct Exchange* e, const char* name) {
  if (e->collective->operands == operands_none) {
    check_blocks(e, name);
  } else {
    check_sums(e, name);
  }
}
