// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and lanes: all ranks of a node publish what they have, segment by segment, and each
// folds its share of all. Then it halves and doubles what it has among its counterparts of
// other nodes, in messages as large as they can be, and publishes the result. So all processors
// fold and all ranks drive the network.
#include <algorithm>

#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/parts/halving.hpp"
#include "algorithms/parts/node_memory.hpp"

namespace suiro {

namespace {

/// Of a vector: two segments of it are no more than a rank shares; longer ones are cut to that.
constexpr std::int64_t lane_segment_max = 480 << 10;
constexpr ParameterSpec lane_segment_spec = {
    .name = segment_parameter,
    .minimum = 0,
    .maximum = 1 << 30,
    .fallback = 0,
    .meaning = "bytes of a segment in shared memory, up to 480 KiB; 0: as many",
    .others = {}};

Schedule build_allreduce_shared_lanes(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto size = static_cast<int>(nodes.size());
  const Schedule halves = sequence(halve(size, Buffer::receive), share_halves(size));
  const std::int64_t given = parameters.at(std::string(segment_parameter));
  const std::int64_t segments =
      pieces_of(call.bytes, given > 0 ? std::min(given, lane_segment_max) : lane_segment_max);
  const Lanes lanes{.count = lanes_of(nodes), .pieces = halves.pieces * segments};
  const auto fold = [&](int, int ranks) { return fold_lanes(ranks, lanes, segments); };
  const auto give = [&](int, int ranks) { return publish_lanes(ranks, lanes, segments); };
  const Schedule between = subdivided(halves, segments);
  Schedule all =
      sequence(sequence(within(nodes, fold), along(lanes, nodes, between, 0)), within(nodes, give));
  all.pieces = lanes.count * lanes.pieces;
  return named(allreduce_shared_lanes, call, parameters, std::move(all));
}

}  // namespace

constinit const Algorithm allreduce_shared_lanes = {
    .collective = "allreduce",
    .name = "shared_lanes",
    .summary = "Every rank folds a share of its node's shared memory and halves it among nodes.",
    .source = "suiro; Rabenseifner (2004) among nodes",
    .cost_text =
        "2 log2 N steps between nodes, of a ranks at once; 2 M (N - 1)/N through every port, M "
        "more where nodes are no power of two; two segments shared",
    .parameters = taking<lane_segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_shared_lanes,
    .in_shared_memory = true,
};

}  // namespace suiro
