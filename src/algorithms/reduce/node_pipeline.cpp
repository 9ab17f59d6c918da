// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: the ranks of a node send to one of them, and a chain of these, one per node,
// reduces piece by piece towards the root. A piece crosses the network once per node, and is late
// by one message per node, not per rank. Where every node has several links there are as many
// chains, of other ranks, for a share each.
#include "algorithms/node_chains.hpp"
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_node_pipeline(const Call& call, const Parameters& parameters) {
  const auto over = [](const NodeChain& chain, std::int64_t pieces) {
    const auto later = [chain](int place) {
      return place >= chain.at_root && chain.is_leaf(place) ? 0 : 1;
    };
    return delayed(reduce_up(chain.tree, pieces, Operands::any), later);
  };
  return named(reduce_node_pipeline, call, parameters, over_node_chains(call, parameters, over));
}

}  // namespace

constinit const Algorithm reduce_node_pipeline = {
    .collective = "reduce",
    .name = "node_pipeline",
    .summary = "The ranks of a node send to one of them; a chain of these reduces piece by piece.",
    .source = "suiro",
    .cost_text = "(k + N - 1) messages of M/k in time; M through every port",
    .parameters = taking<segment_spec>,
    .properties =
        having<Property::one_peer_per_node_per_round, Property::in_place, Property::port_optimal>,
    .cost = nullptr,
    .build = build_reduce_node_pipeline,
};

}  // namespace suiro
