// SPDX-License-Identifier: BSD-3-Clause
// Data of collectives on one message or one vector per rank.
#include <limits.h>
#include <stdint.h>

#include "bench.h"

void fill_message(unsigned char* bytes, size_t count, int root) {
  for (size_t i = 0; i < count; ++i) bytes[i] = pattern(root, 0, (int)i);
}

void check_message(const unsigned char* bytes, size_t count, int root, const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] == pattern(root, 0, (int)i)) continue;
    die("wrong data from \"%s\": the message of rank %d differs at byte %zu of %zu", name, root, i,
        count);
  }
}

// An element is weight(rank) * factor(place) + term(place). Any other set of ranks than all of
// them, each once, has another sum of weights, unless by a rare chance; and elements that are not
// in their places have other factors and terms. So one sum of weights checks a whole vector.

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

void fill_vector(int* vector, size_t count, const struct Place* place) {
  const int own = weight(place->rank, place->ranks);
  for (size_t i = 0; i < count; ++i) vector[i] = own * factor(i) + term(i);
}

void check_sum(const int* vector, size_t count, const struct Place* place, const char* name) {
  int all = 0;
  for (int rank = 0; rank < place->ranks; ++rank) all += weight(rank, place->ranks);
  for (size_t i = 0; i < count; ++i) {
    const int sum = all * factor(i) + place->ranks * term(i);
    if (vector[i] == sum) continue;
    die("wrong data from \"%s\": element %zu of %zu is %d, the sum over all ranks is %d", name, i,
        count, vector[i], sum);
  }
}
