// SPDX-License-Identifier: BSD-3-Clause
// Node-aware pipeline: a chain of one rank per node, each of which also feeds a tree of the ranks
// of its node. A piece crosses the network once per node, and is late by one message per node, not
// per rank. Where every node has several links there are as many chains, of other ranks, for a
// share each. Trees inside nodes keep what a rank has to send the same however many ranks are on a
// node.
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/parts/node_chains.hpp"

namespace suiro {

namespace {

Schedule build_bcast_node_pipeline(const Call& call, const Parameters& parameters) {
  const auto over = [](const NodeChain& chain, std::int64_t pieces) {
    const auto later = [chain](int place) { return chain.below[place]; };
    return delayed(send_down(chain.tree, pieces), later);
  };
  return named(bcast_node_pipeline, call, parameters, over_node_chains(call, parameters, over));
}

}  // namespace

constinit const Algorithm bcast_node_pipeline = {
    .collective = "bcast",
    .name = "node_pipeline",
    .summary = "A chain of one rank per node hands on piece by piece and feeds a tree of its node.",
    .source = "suiro",
    .cost_text = "(k + N - 1) messages of M/k in time, log2 a more in nodes; M through every port",
    .parameters = taking<node_chains_spec, segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::port_optimal>,
    .cost = nullptr,
    .build = build_bcast_node_pipeline,
};

}  // namespace suiro
