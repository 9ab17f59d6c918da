// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/peers.hpp"

namespace suiro::alltoall {

/// One stays in the middle of a circle; the others a and b meet when a + b = step - 1 modulo the
/// circle's size.
Peers partners(int place, int step, int members) {
  if (members % 2 != 0) return ring_neighbours(place, step, members);
  const int middle = members - 1;
  const int meeting = step - 1;
  int partner = modulo(meeting - place, middle);
  if (partner == place) partner = middle;
  if (place == middle) partner = meeting * (members / 2) % middle;  // 2 * partner = meeting
  return {.to = partner, .from = partner};
}

}  // namespace suiro::alltoall
