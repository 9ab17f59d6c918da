// SPDX-License-Identifier: BSD-3-Clause
// Ring: in round i every rank sends to the rank i places to its right and receives from the rank i
// places to its left. With several ranks per node a node then sends to two nodes in most rounds,
// and a switch port is shared. Cost: P rounds; a(P-a) blocks on the wire of a node of a ranks; no
// scratch.
#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

Schedule build_alltoall_ring(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const std::int64_t ranks = topology.ranks();
  Schedule schedule = named(alltoall_ring, call, parameters);
  schedule.rounds = ranks;
  schedule.function = [ranks](int me, std::int64_t i, Round& round) {
    const int target = static_cast<int>((me + i) % ranks);
    const int source = static_cast<int>((me - i + ranks) % ranks);
    alltoall::exchange(me, target, source, round);
  };
  return schedule;
}

Cost cost_ring(const Topology& topology, const Parameters&) {
  return {.rounds = topology.ranks(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_ring = {
    .collective = "alltoall",
    .name = "ring",
    .summary = "Round i: send i ranks to the right, receive from i ranks to the left.",
    .source = "2-Level Ring paper (2010), figure 1",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = {},
    .properties = alltoall::only_direct,
    .cost = cost_ring,
    .build = build_alltoall_ring,
};

}  // namespace suiro
