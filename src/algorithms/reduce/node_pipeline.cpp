// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: the ranks of a node reduce along a tree to one of them, and a chain of
// these, one per node, reduces piece by piece towards the root. A piece crosses the network once
// per node, and is late by one message per node, not per rank. Where every node has several links
// there are as many chains, of other ranks, for a share each. Trees inside nodes keep what a rank
// has to reduce, and its scratch, the same however many ranks are on a node.
#include <algorithm>

#include "algorithms/parts/node_chains.hpp"
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_node_pipeline(const Call& call, const Parameters& parameters) {
  const auto over = [](const NodeChain& chain, std::int64_t pieces) {
    const int height = *std::ranges::max_element(chain.below);
    const auto later = [chain, height](int place) { return height - chain.below[place]; };
    return delayed(reduce_up(chain.tree, pieces, Operands::any), later);
  };
  return named(reduce_node_pipeline, call, parameters, over_node_chains(call, parameters, over));
}

}  // namespace

constinit const Algorithm reduce_node_pipeline = {
    .collective = "reduce",
    .name = "node_pipeline",
    .summary = "Ranks of a node reduce to one of them; a chain of these reduces piece by piece.",
    .source = "suiro",
    .cost_text =
        "(k + N - 1) messages of M/k in time, log2 a more in nodes; M through every port; scratch "
        "for 25 segments at one rank of a node, for 19 or none at the others",
    .parameters = taking<node_chains_spec, segment_spec>,
    .properties =
        having<Property::one_peer_per_node_per_round, Property::in_place, Property::port_optimal>,
    .cost = nullptr,
    .build = build_reduce_node_pipeline,
};

}  // namespace suiro
