// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "verify/verify.hpp"

namespace suiro {

namespace {

/// Blocks that a rank sends to ranks of other nodes.
std::int64_t wire_blocks_of(const Schedule& schedule, const Topology& topology, int rank) {
  std::int64_t blocks = 0;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(rank, index, round);
    for (const Step& step : round.steps) {
      const bool leaves =
          step.action == Action::send && topology.node(step.peer) != topology.node(rank);
      if (leaves) blocks += step.source.count;
    }
  }
  return blocks;
}

}  // namespace

Cost count_cost(const Schedule& schedule, const Topology& topology) {
  Cost cost{.rounds = schedule.rounds, .wire_blocks = 0, .scratch = schedule.scratch};
  for (int node = 0; node < topology.nodes(); ++node) {
    std::int64_t blocks = 0;
    for (const int rank : topology.ranks_of(node)) {
      blocks += wire_blocks_of(schedule, topology, rank);
    }
    cost.wire_blocks = std::max(cost.wire_blocks, blocks);
  }
  return cost;
}

}  // namespace suiro
