// SPDX-License-Identifier: BSD-3-Clause
// A vector cut in lanes, each of which is the business of one rank on every node.
#pragma once

#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/ring.hpp"

namespace suiro {

struct Lanes {
  int count = 1;
  std::int64_t pieces = 1;  // of a lane

  /// A range of lane l in the vector.
  Range range(int lane, const Range& of_lane) const {
    return {lane * pieces + of_lane.first, of_lane.count};
  }
};

/// As many lanes as the smallest group has ranks.
int lanes_of(const Groups& nodes);

/// `schedule` on every lane at once, among the ranks of all nodes whose lane it is. What they begin
/// with and what they end with is in the receive buffer.
Schedule along(const Lanes& lanes, const Groups& nodes, const Schedule& schedule,
               std::int64_t scratch_at);

/// The pieces of a lane that are dealt with in a round, where they are in all; may be none.
using Turn = std::function<Range(int lane, std::int64_t i)>;

/// These two are for the ranks 0 .. size - 1 of a node, of which rank l is that of lane l.
///
/// In round i every rank sends each other lane's rank its own turn of it; `stride` rounds later
/// that one has the sum of the node's in its receive buffer. A turn has up to `most` pieces.
Schedule reduce_to_lanes(int size, int lanes, std::int64_t rounds, std::int64_t stride,
                         std::int64_t most, const Turn& turn);

/// In round i each lane's rank sends its turn to all others of the node.
Schedule share_lanes(int size, int lanes, std::int64_t rounds, std::int64_t stride,
                     const Turn& turn);

}  // namespace suiro
