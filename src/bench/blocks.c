// SPDX-License-Identifier: BSD-3-Clause
// Data that tell where they come from, so that a candidate that delivers wrong data is found out
// before it is timed.
#include "bench.h"

unsigned char pattern(int source, int target, int place) {
  const unsigned at = (unsigned)place;
  return (unsigned char)((unsigned)source * 131U + (unsigned)target * 31U + at * 7U + (at >> 8) +
                         (at >> 16) * 37U);
}

int block_bytes(const struct Sizes* sizes, int source, int target) {
  // A number from -1000 to 1000 that looks drawn by lot (the generator is Numerical Recipes').
  unsigned lot = (unsigned)source * 40503U + (unsigned)target * 30011U + 1U;
  for (int i = 0; i < 3; ++i) lot = lot * 1664525U + 1013904223U;
  const long long drawn = (long long)((lot >> 16) % 2001U) - 1000;
  return (int)(sizes->bytes + drawn * sizes->bytes * sizes->spread_percent / 100000);
}

void fill_blocks(unsigned char* send, const struct Place* place, const struct Sizes* sizes) {
  unsigned char* block = send;
  for (int target = 0; target < place->ranks; ++target) {
    const int bytes = block_bytes(sizes, place->rank, target);
    for (int i = 0; i < bytes; ++i) block[i] = pattern(place->rank, target, i);
    block += bytes;
  }
}

void check_blocks(const unsigned char* receive, const struct Place* place,
                  const struct Sizes* sizes, const char* name) {
  const unsigned char* block = receive;
  for (int source = 0; source < place->ranks; ++source) {
    const int bytes = block_bytes(sizes, source, place->rank);
    for (int i = 0; i < bytes; ++i) {
      if (block[i] == pattern(source, place->rank, i)) continue;
      die("wrong data from \"%s\": the block of rank %d differs at byte %d of %d", name, source, i,
          bytes);
    }
    block += bytes;
  }
}

long long busiest_bytes(const struct Place* place, const struct Sizes* sizes) {
  long long most = 0;
  for (int node = 0; node < place->nodes; ++node) {
    long long out = 0, in = 0;
    for (int here = 0; here < place->ranks; ++here) {
      if (place->node_of_rank[here] != node) continue;
      for (int there = 0; there < place->ranks; ++there) {
        if (place->node_of_rank[there] == node) continue;
        out += block_bytes(sizes, here, there);
        in += block_bytes(sizes, there, here);
      }
    }
    if (out > most) most = out;
    if (in > most) most = in;
  }
  return most;
}
