// SPDX-License-Identifier: BSD-3-Clause
// Linear: every rank starts everything at once and leaves the order to the network.
// Cost: 1 round; a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

Schedule build_alltoall_linear(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const int ranks = topology.ranks();
  Schedule schedule = named(alltoall_linear, call, parameters);
  schedule.rounds = 1;
  schedule.function = [ranks](int me, std::int64_t, Round& round) {
    using namespace alltoall;
    round.steps.push_back(copy(block_for(me), block_from(me)));
    for (int i = 1; i < ranks; ++i) {
      const int peer = (me + i) % ranks;
      round.steps.push_back(receive(peer, block_from(peer)));
    }
    for (int i = 1; i < ranks; ++i) {
      const int peer = (me + i) % ranks;
      round.steps.push_back(send(block_for(peer), peer));
    }
  };
  return schedule;
}

Cost cost_linear(const Topology& topology, const Parameters&) {
  return {.rounds = 1, .wire_blocks = alltoall::wire_blocks_when_direct(topology), .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_linear = {
    .collective = "alltoall",
    .name = "linear",
    .summary = "Everything at once: P-1 sends and receives in one round, right neighbour first.",
    .source = "Open MPI basic linear; MPICH scattered without a throttle",
    .cost_text = "1 round; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = {},
    .properties = alltoall::only_direct,
    .cost = cost_linear,
    .build = build_alltoall_linear,
};

}  // namespace suiro
