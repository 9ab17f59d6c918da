// SPDX-License-Identifier: BSD-3-Clause
// Lanes: the vector is cut in as many lanes as the smallest node has ranks, and every lane is the
// business of one rank on every node. That one reduces the pieces of its node just before a ring of
// nodes needs them, and gives results to its node as they come. So every rank drives the network,
// and what happens inside nodes is hidden behind it.
#include "algorithms/parts/lanes.hpp"

#include "algorithms/allreduce/allreduce.hpp"

namespace suiro {

namespace {

// Messages of a node that are on their way together, where they are not too small.
constexpr std::int64_t in_flight_of_node = 4;

Schedule build_allreduce_lanes(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const int count = lanes_of(nodes);
  const std::int64_t block_bytes = call.bytes / count / std::ssize(nodes);
  const std::int64_t of_lane = std::max<std::int64_t>(in_flight_of_node / count, 1);
  const RingPlan ring(
      static_cast<int>(nodes.size()),
      ring_pieces(block_bytes, of_lane, call, parameters, kept_for_node(call.topology)));
  const Lanes lanes{.count = count, .pieces = ring.pieces()};
  const std::int64_t stride = ring.stride();
  const auto reduce = [=](int node, int size) {
    const auto needed = [=](int lane, std::int64_t i) {
      return lanes.range(lane, ring.needed(node, i));
    };
    return reduce_to_lanes(size, count, ring.rounds(), stride, 1, needed);
  };
  const auto share = [=](int node, int size) {
    const auto known = [=](int lane, std::int64_t i) {
      return lanes.range(lane, ring.known(node, i));
    };
    return share_lanes(size, count, ring.rounds() + stride, stride, known);
  };
  const Schedule inside = within(nodes, reduce);
  const Schedule rings = along(lanes, nodes, ring_allreduce(ring), inside.scratch);
  // In place, a result may come only when the rank's own operand there has left.
  const Schedule reduced = overlapped(inside, rings, stride);
  return named(allreduce_lanes, call, parameters,
               overlapped(reduced, within(nodes, share), reduced.window + reduced.lookahead));
}

}  // namespace

constinit const Algorithm allreduce_lanes = {
    .collective = "allreduce",
    .name = "lanes",
    .summary = "Every rank reduces a share of its node's data and drives a ring of nodes with it.",
    .source = "suiro",
    .cost_text =
        "2 (N - 1) messages of M/(a N) in time, of a ranks at once; 2 M (N - 1)/N through every "
        "port; scratch for 9 a + 7 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place, Property::port_optimal>,
    .cost = nullptr,
    .build = build_allreduce_lanes,
};

}  // namespace suiro
