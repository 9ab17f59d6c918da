// SPDX-License-Identifier: BSD-3-Clause
// Multi-leader: several ranks per node talk to the network, each for its group (leaders.hpp), so
// that gathering and copying have more than one core and the network more than one connection.
// Cost: G+2 rounds for G groups; a(P-a) blocks on the wire of a node of a ranks; scratch (3m-1)P at
// a leader of m ranks.
#include "algorithms/alltoall/leaders.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec multi_leader_parameters[] = {
    {.name = "leaders",
     .minimum = 1,
     .maximum = 64,
     .fallback = 2,
     .meaning = "leaders per node, or as many as it has ranks"},
    alltoall::leaders_window,
};

int leaders_of(const Parameters& parameters) { return static_cast<int>(parameters.at("leaders")); }

Schedule build_alltoall_multi_leader(const Call& call, const Parameters& parameters) {
  return alltoall::build_leaders(alltoall_multi_leader, call, parameters, leaders_of(parameters));
}

Cost cost_multi_leader(const Topology& topology, const Parameters& parameters) {
  return alltoall::cost_leaders(topology, leaders_of(parameters));
}

}  // namespace

constinit const Algorithm alltoall_multi_leader = {
    .collective = "alltoall",
    .name = "multi_leader",
    .summary = "Several ranks per node gather, exchange and scatter, each for its group of ranks.",
    .source = "Kandalla et al., ICPP 2009 (multi-leader collectives)",
    .cost_text =
        "G+2 rounds for G groups; a(P-a) blocks on the wire of a node of a ranks; scratch "
        "(3m-1)P at a leader of m ranks",
    .parameters = multi_leader_parameters,
    .properties = {},
    .cost = cost_multi_leader,
    .build = build_alltoall_multi_leader,
};

}  // namespace suiro
