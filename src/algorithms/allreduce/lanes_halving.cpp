// SPDX-License-Identifier: BSD-3-Clause
// Lanes with recursive halving: as lanes, but nodes reduce by recursive halving and gather by
// recursive doubling, in few steps, for vectors that are not long enough for a ring.
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/parts/halving.hpp"
#include "algorithms/parts/lanes.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_lanes_halving(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto size = static_cast<int>(nodes.size());
  const Schedule halves = sequence(halve(size, Buffer::receive), share_halves(size));
  const Lanes lanes{.count = lanes_of(nodes), .pieces = halves.pieces};
  const auto whole = [lanes](int lane, std::int64_t) {
    return lanes.range(lane, {0, lanes.pieces});
  };
  const auto reduce = [=](int, int ranks) {
    return reduce_to_lanes(ranks, lanes.count, 1, 1, lanes.pieces, whole);
  };
  const auto share = [=](int, int ranks) { return share_lanes(ranks, lanes.count, 1, 1, whole); };
  const Schedule inside = within(nodes, reduce);
  return named(allreduce_lanes_halving, call, parameters,
               sequence(sequence(inside, along(lanes, nodes, halves, 0)), within(nodes, share)));
}

}  // namespace

constinit const Algorithm allreduce_lanes_halving = {
    .collective = "allreduce",
    .name = "lanes_halving",
    .summary = "Every rank reduces a share of its node's data and halves it among the nodes.",
    .source = "suiro; Rabenseifner (2004) among nodes",
    .cost_text =
        "2 log2 N steps between nodes, of a ranks at once; 2 M (N - 1)/N through every port, M "
        "more where nodes are no power of two; scratch 2 M at most",
    .parameters = {},
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_lanes_halving,
};

}  // namespace suiro
