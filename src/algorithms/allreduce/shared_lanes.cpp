// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and lanes: all ranks of a node publish what they have, every one folds its share of
// it, halves and doubles that among its counterparts of other nodes, and publishes the result. So
// all processors fold and all ranks drive the network. Longer vectors go in segments.
#include <algorithm>

#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/halving.hpp"
#include "algorithms/node_memory.hpp"

namespace suiro {

namespace {

/// Of a vector, where nobody says: so much of each rank is in shared memory at once.
constexpr std::int64_t usual_segment = 512 << 10;

Schedule build_allreduce_shared_lanes(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto size = static_cast<int>(nodes.size());
  const Schedule halves = sequence(halve(size, Buffer::receive), share_halves(size));
  const Lanes lanes{.count = lanes_of(nodes), .pieces = halves.pieces};
  const auto fold = [&](int, int ranks) { return fold_lanes(ranks, lanes); };
  const auto give = [&](int, int ranks) { return publish_lanes(ranks, lanes); };
  const std::int64_t given = parameters.at(std::string(segment_parameter));
  const std::int64_t segments = pieces_of(call.bytes, given > 0 ? given : usual_segment);
  Schedule one =
      sequence(sequence(within(nodes, fold), along(lanes, nodes, halves, 0)), within(nodes, give));
  one.pieces = lanes.count * lanes.pieces;
  return named(allreduce_shared_lanes, call, parameters, repeated(std::move(one), segments));
}

}  // namespace

constinit const Algorithm allreduce_shared_lanes = {
    .collective = "allreduce",
    .name = "shared_lanes",
    .summary = "Every rank folds a share of its node's shared memory and halves it among nodes.",
    .source = "suiro; Rabenseifner (2004) among nodes",
    .cost_text =
        "2 log2 N steps between nodes for each segment, of a ranks at once; 2 M (N - 1)/N through "
        "every port, M more where nodes are no power of two; one segment shared",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_shared_lanes,
    .in_shared_memory = true,
};

}  // namespace suiro
