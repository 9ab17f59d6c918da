// SPDX-License-Identifier: BSD-3-Clause
// Data that tell where they come from, so that a candidate that delivers wrong data is found out
// before it is timed.
#include "bench.h"

/// Differs between blocks and between places in a block.
static unsigned char pattern(int source, int target, int place) {
  return (unsigned char)(source * 131 + target * 31 + place * 7 + (place >> 8));
}

void fill_blocks(unsigned char* send, const struct Place* place, int bytes) {
  for (int target = 0; target < place->ranks; ++target) {
    unsigned char* block = send + (size_t)target * (size_t)bytes;
    for (int i = 0; i < bytes; ++i) block[i] = pattern(place->rank, target, i);
  }
}

void check_blocks(const unsigned char* receive, const struct Place* place, int bytes,
                  const char* name) {
  for (int source = 0; source < place->ranks; ++source) {
    const unsigned char* block = receive + (size_t)source * (size_t)bytes;
    for (int i = 0; i < bytes; ++i) {
      if (block[i] == pattern(source, place->rank, i)) continue;
      die("wrong data from \"%s\": the block of rank %d differs at byte %d of %d", name, source, i,
          bytes);
    }
  }
}
