// SPDX-License-Identifier: BSD-3-Clause
// How large the blocks of a call are, in elements. Where they may differ, by how much looks drawn
// by lot, but is the same on every rank and in every run.
#include "bench.h"

int element_bytes(const struct Collective* collective) {
  return collective->operands == operands_none ? 1 : (int)sizeof(int);
}

/// From -1000 to 1000 (the generator is Numerical Recipes').
static long long lot(int source, int target) {
  unsigned state = (unsigned)source * 40503U + (unsigned)target * 30011U + 1U;
  for (int i = 0; i < 3; ++i) state = state * 1664525U + 1013904223U;
  return (long long)((state >> 16) % 2001U) - 1000;
}

static long long drawn(const struct Exchange* e, int source, int target, long long mean) {
  return lot(source, target) * mean * e->sizes.spread_percent / 100000;
}

/// By what the block of a rank is larger, that of its opposite is smaller: the size that was asked
/// for is their mean, or that of all together, of which equal shares differ by one element.
static long long of_rank(const struct Exchange* e, int rank) {
  const bool shares = e->collective->bytes == bytes_of_the_whole_message;
  const long long all = shares ? e->count : (long long)e->count * e->place->ranks;
  const long long share = all * (rank + 1) / e->place->ranks - all * rank / e->place->ranks;
  const int opposite = e->place->ranks - 1 - rank;
  if (rank == opposite) return share;
  const int first = rank < opposite ? rank : opposite;
  const long long more = drawn(e, first, first, all / e->place->ranks);
  return rank < opposite ? share + more : share - more;
}

long long block_elements(const struct Exchange* e, int source, int target) {
  const struct Collective* collective = e->collective;
  if (collective->bytes == bytes_per_pair_of_ranks)
    return e->count + drawn(e, source, target, e->count);
  const bool one = collective->sends.root == blocks_one;
  if (one && collective->bytes == bytes_of_the_whole_message) return e->count;
  return of_rank(e, one ? source : target);
}

/// Of pairs, what a node sends, or gets if that is more.
static long long of_pairs(const struct Exchange* e, int node) {
  const struct Place* place = e->place;
  long long out = 0, in = 0;
  for (int here = 0; here < place->ranks; ++here) {
    if (place->node_of_rank[here] != node) continue;
    for (int there = 0; there < place->ranks; ++there) {
      if (place->node_of_rank[there] == node) continue;
      out += block_elements(e, here, there);
      in += block_elements(e, there, here);
    }
  }
  return out > in ? out : in;
}

/// Of one block for each rank, those of other nodes: a node that has or gets all must get or give
/// them.
static long long of_others(const struct Exchange* e, int node) {
  long long elements = 0;
  for (int rank = 0; rank < e->place->ranks; ++rank) {
    if (e->place->node_of_rank[rank] != node) elements += of_rank(e, rank);
  }
  return elements;
}

long long busiest_bytes(const struct Exchange* e) {
  long long most = 0;
  for (int node = 0; node < e->place->nodes; ++node) {
    if (e->collective->rooted && node != e->place->node_of_rank[e->root]) continue;
    const bool pairs = e->collective->bytes == bytes_per_pair_of_ranks;
    const long long elements = pairs ? of_pairs(e, node) : of_others(e, node);
    if (elements > most) most = elements;
  }
  return most * element_bytes(e->collective);
}
