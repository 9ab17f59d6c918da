// SPDX-License-Identifier: BSD-3-Clause
// Who meets whom when some members (nodes, mostly) exchange in steps. Over the steps 1 to
// members - 1 each other member comes once in each direction, and in each step a member sends to
// one and one sends to it.
#pragma once

namespace suiro::alltoall {

/// Whom a member sends to and receives from, as places among the members.
struct Peers {
  int to;
  int from;
};

using PeersOf = Peers (*)(int place, int step, int members);

inline int modulo(int value, int size) { return ((value % size) + size) % size; }

/// The ring: `step` places to the right (to send) and to the left (to receive).
inline Peers ring_neighbours(int place, int step, int members) {
  return {.to = modulo(place + step, members), .from = modulo(place - step, members)};
}

/// Pairs, those of a round-robin tournament (circle method). An odd number of members cannot all be
/// in pairs, and goes on as a ring.
Peers partners(int place, int step, int members);

}  // namespace suiro::alltoall
