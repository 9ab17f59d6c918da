// SPDX-License-Identifier: BSD-3-Clause
// Pairwise exchange: one partner per round. When P is a power of two the partners are me XOR i, so
// both exchange with each other; otherwise they are neighbours at distance i. Cost: P rounds;
// a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include <bit>

#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

Schedule build_alltoall_pairwise(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const std::int64_t ranks = topology.ranks();
  const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(ranks));
  Schedule schedule = named(alltoall_pairwise, call, parameters);
  schedule.rounds = ranks;
  schedule.function = [ranks, power_of_two](int me, std::int64_t i, Round& round) {
    if (power_of_two) {
      const int partner = static_cast<int>(me ^ i);
      alltoall::exchange_as_native(me, partner, partner, round);
    } else {
      const int target = static_cast<int>((me + i) % ranks);
      const int source = static_cast<int>((me - i + ranks) % ranks);
      alltoall::exchange_as_native(me, target, source, round);
    }
  };
  return schedule;
}

Cost cost_pairwise(const Topology& topology, const Parameters&) {
  return {.rounds = topology.ranks(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_pairwise = {
    .collective = "alltoall",
    .name = "pairwise",
    .summary = "One partner per round: XOR when P is a power of two, else the ring's neighbours.",
    .source = "MPICH pairwise; Open MPI pairwise",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = {},
    .properties = alltoall::only_direct,
    .cost = cost_pairwise,
    .build = build_alltoall_pairwise,
};

}  // namespace suiro
