// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// Block times of a schedule whose rounds follow each other: in each, what the busiest NIC sends or
/// receives.
inline std::int64_t time_blocks(const Schedule& schedule, const Topology& topology) {
  std::int64_t time = 0;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    std::vector<std::int64_t> sent(topology.nodes()), received(topology.nodes());
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      schedule.round(rank, index, round);
      for (const Step& step : round.steps) {
        if (step.action == Action::copy || topology.node(step.peer) == topology.node(rank))
          continue;
        sent[topology.node(rank)] += step.source.count;
        received[topology.node(rank)] += step.target.count;
      }
    }
    time += std::max(*std::ranges::max_element(sent), *std::ranges::max_element(received));
  }
  return time;
}

}  // namespace suiro
