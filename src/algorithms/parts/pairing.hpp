// SPDX-License-Identifier: BSD-3-Clause
// Who exchanges with whom where ranks come together in powers of two. A power of two of them are
// members; where there are more ranks, the first ones are pairs of neighbours, and the second of
// each pair gives what it has to the first and gets the result from it.
#pragma once

#include <bit>

namespace suiro {

struct Pairing {
  int size = 1;

  int steps() const { return std::bit_width(static_cast<unsigned>(size) | 1U) - 1; }
  int members() const { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size) | 1U)); }
  int pairs() const { return size - members(); }

  bool is_paired(int rank) const { return rank < 2 * pairs(); }
  bool is_member(int rank) const { return !is_paired(rank) || rank % 2 == 0; }
  /// The other one of its pair.
  static int neighbour(int rank) { return rank ^ 1; }

  int member(int rank) const { return is_paired(rank) ? rank / 2 : rank - pairs(); }
  int rank(int member) const { return member < pairs() ? 2 * member : member + pairs(); }
  /// Whom a member's rank exchanges with in a step: one 1, 2, 4 ... members away.
  int partner(int rank, std::int64_t step) const {
    return this->rank(member(rank) ^ static_cast<int>(1U << static_cast<unsigned>(step)));
  }
};

}  // namespace suiro
