// SPDX-License-Identifier: BSD-3-Clause
// 2-Level Capped: the order of 2-Level Ring without its waiting. Peers come node by node, at most
// `cap` rounds of a rank are in flight, and the next starts as soon as any of them is complete. So
// a node has one or two peer nodes most of the time, not always, and no rank waits for the others
// of its node: less head-of-line blocking, and less at a port, than with Linear, and links as busy
// as Linear's where the switch blocks nothing (docs/decisions/0018).
// Cost: P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include "algorithms/alltoall/two_level.hpp"

namespace suiro {

namespace {

constexpr std::int64_t other_two_level_caps[] = {3, 6};
constexpr ParameterSpec two_level_capped_parameters[] = {
    {.name = "cap",
     .minimum = 1,
     .maximum = 1024,
     .fallback = 4,
     .meaning = "rounds that a rank may have in flight; none waits for an older one",
     .others = other_two_level_caps},
};

Schedule build_alltoall_two_level_capped(const Call& call, const Parameters& parameters) {
  return alltoall::build_two_level(
      alltoall_two_level_capped, call, parameters,
      {.peers = alltoall::ring_neighbours, .window = parameters.at("cap"), .overtaking = true});
}

}  // namespace

constinit const Algorithm alltoall_two_level_capped = {
    .collective = "alltoall",
    .name = "two_level_capped",
    .summary = "The order of 2-Level Ring, at most `cap` rounds in flight; none waits for another.",
    .source = "suiro, after the 2-Level Ring paper (2010); docs/decisions/0018",
    .cost_text = "P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = two_level_capped_parameters,
    .properties = alltoall::only_direct,
    .cost = alltoall::cost_two_level,
    .build = build_alltoall_two_level_capped,
};

}  // namespace suiro
