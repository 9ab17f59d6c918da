// SPDX-License-Identifier: BSD-3-Clause
// Ring: the blocks of all ranks go round in node order, piece by piece.
#include "algorithms/allgather/allgather.hpp"

namespace suiro {

namespace {

Schedule build_allgather_ring(const Call& call, const Parameters& parameters) {
  return named(allgather_ring, call, parameters, gather_round(call, parameters));
}

}  // namespace

constinit const Algorithm allgather_ring = {
    .collective = "allgather",
    .name = "ring",
    .summary = "The blocks of all ranks go round a ring of ranks in node order.",
    .source = "Thakur, Rabenseifner and Gropp (2005); MPICH and Open MPI",
    .cost_text = "P - 1 messages of M in time, each in k pieces; (P - 1) M through every port",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round>,
    .cost = nullptr,
    .build = build_allgather_ring,
};

Schedule gather_round(const Call& call, const Parameters& parameters) {
  const std::vector<int> order = node_order(call.topology, 0);
  const auto size = static_cast<int>(order.size());
  const std::int64_t pieces = ring_pieces(call.bytes, 1, call, parameters);
  const auto held = [=](int place, std::int64_t item) { return order[place] * pieces + item; };
  const Schedule ring = Circulation(size, pieces, held).schedule();
  Schedule whole = overlapped(own_block(size, pieces), relabelled(ring, order), 0);
  whole.pieces = pieces;
  return whole;
}

}  // namespace suiro
