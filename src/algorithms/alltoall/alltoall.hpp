// SPDX-License-Identifier: BSD-3-Clause
// What the all-to-all algorithms share. Block d of the send buffer goes to rank d; block s of the
// receive buffer comes from rank s.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "algorithms/declared.hpp"
#include "algorithms/parts/compose.hpp"

namespace suiro {}  // namespace suiro

namespace suiro::alltoall {

inline constexpr Property only_direct[] = {Property::direct};

inline Blocks block_for(int peer) { return {Buffer::send, peer, 1}; }
inline Blocks block_from(int peer) { return {Buffer::receive, peer, 1}; }

/// `me` sends to `target` and receives from `source`; its own block is a copy.
inline void exchange(int me, int target, int source, Round& round) {
  if (target == me) {
    round.steps.push_back(copy(block_for(me), block_from(me)));
  } else {
    round.steps.push_back(send(block_for(target), target));
    round.steps.push_back(receive(source, block_from(source)));
  }
}

/// The same with the receive posted first, as the MPI libraries' own algorithms have it.
inline void exchange_as_native(int me, int target, int source, Round& round) {
  exchange(me, target, source, round);
  if (target != me) std::swap(round.steps.back(), *std::prev(round.steps.end(), 2));
}

inline Blocks scratch(std::int64_t first, std::int64_t count) {
  return {Buffer::scratch, first, count};
}

/// Adds a copy, as part of the copy before it where both go on from there.
void add_copy(Blocks source, Blocks target, Round& round);

/// The ranks of a node follow each other, so blocks of all of them can be one range.
bool consecutive(const Topology& topology, int node);

/// Every node sends each of its a ranks' blocks for the P - a ranks elsewhere, directly.
inline std::int64_t wire_blocks_when_direct(const Topology& topology) {
  std::int64_t largest = 0;
  for (int node = 0; node < topology.nodes(); ++node) {
    const std::int64_t here = topology.ppn(node);
    largest = std::max(largest, here * (topology.ranks() - here));
  }
  return largest;
}

}  // namespace suiro::alltoall
