// SPDX-License-Identifier: BSD-3-Clause
// Linear with a cap: one peer per round, and at most `cap` rounds in flight, so that a rank never
// has more than `cap` messages outstanding in each direction. Cost: P rounds; a(P-a) blocks on the
// wire of a node of a ranks; no scratch.
#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

constexpr std::int64_t other_linear_caps[] = {4, 16, 32};
constexpr ParameterSpec linear_capped_parameters[] = {
    {.name = "cap",
     .minimum = 1,
     .maximum = 1024,
     .fallback = 8,
     .meaning = "messages that a rank may have outstanding in each direction",
     .others = other_linear_caps},
};

Schedule build_alltoall_linear_capped(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const std::int64_t ranks = topology.ranks();
  Schedule schedule = named(alltoall_linear_capped, call, parameters);
  schedule.rounds = ranks;
  schedule.window = parameters.at("cap");
  schedule.function = [ranks](int me, std::int64_t i, Round& round) {
    const int target = static_cast<int>((me + i) % ranks);
    const int source = static_cast<int>((me - i + ranks) % ranks);
    alltoall::exchange_as_native(me, target, source, round);
  };
  return schedule;
}

Cost cost_linear_capped(const Topology& topology, const Parameters&) {
  return {.rounds = topology.ranks(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_linear_capped = {
    .collective = "alltoall",
    .name = "linear_capped",
    .summary = "Linear, with at most `cap` messages outstanding per rank and direction.",
    .source = "Open MPI linear_sync; MPICH scattered with a throttle",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = linear_capped_parameters,
    .properties = alltoall::only_direct,
    .cost = cost_linear_capped,
    .build = build_alltoall_linear_capped,
};

}  // namespace suiro
