// SPDX-License-Identifier: BSD-3-Clause
// Ring: the vector goes round the ranks, in node order, to be reduced block by block, and once more
// to be known. Blocks go in pieces, some of each at a time, so that a rank sends while it reduces.
#include "algorithms/allreduce/allreduce.hpp"

namespace suiro {

namespace {

// Messages of a rank that are on their way together, where they are not too small.
constexpr std::int64_t in_flight_of_rank = 4;

Schedule build_allreduce_ring(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  const RingPlan plan(ranks, ring_pieces(call.bytes / ranks, in_flight_of_rank, call, parameters));
  return named(allreduce_ring, call, parameters,
               relabelled(ring_allreduce(plan), node_order(call.topology, 0)));
}

}  // namespace

constinit const Algorithm allreduce_ring = {
    .collective = "allreduce",
    .name = "ring",
    .summary =
        "The vector goes round a ring of ranks in node order, to be reduced and then to be known.",
    .source = "Thakur, Rabenseifner and Gropp (2005); Open MPI ring and segmented_ring",
    .cost_text =
        "2 (P - 1) messages of M/P in time, each in k pieces; 2 M (P - 1)/P through every port; "
        "scratch for 16 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_ring,
};

}  // namespace suiro
