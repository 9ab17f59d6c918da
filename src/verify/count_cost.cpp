// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "verify/verify.hpp"

namespace suiro {

Wire count_wire(const Schedule& schedule, const Topology& topology, int rank) {
  Wire wire;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(rank, index, round);
    for (const Step& step : round.steps) {
      const bool moves = step.action == Action::send || step.action == Action::receive;
      if (!moves || topology.node(step.peer) == topology.node(rank)) continue;
      wire.leaving += step.source.count;
      wire.arriving += step.target.count;
    }
  }
  return wire;
}

Cost count_cost(const Schedule& schedule, const Topology& topology) {
  Cost cost{.rounds = schedule.rounds, .scratch = schedule.scratch};
  for (int node = 0; node < topology.nodes(); ++node) {
    Wire wire;
    for (const int rank : topology.ranks_of(node)) {
      const auto [leaving, arriving] = count_wire(schedule, topology, rank);
      wire.leaving += leaving;
      wire.arriving += arriving;
    }
    cost.wire_blocks = std::max({cost.wire_blocks, wire.leaving, wire.arriving});
  }
  return cost;
}

}  // namespace suiro
