// SPDX-License-Identifier: BSD-3-Clause
// Pipeline: one chain through all ranks, node by node, that hands the message on piece by piece.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

Schedule build_bcast_pipeline(const Call& call, const Parameters& parameters) {
  const Tree tree = chain_tree(call.topology.ranks(), 1);
  return named(bcast_pipeline, call, parameters, send_down(tree, call, parameters));
}

}  // namespace

constinit const Algorithm bcast_pipeline = {
    .collective = "bcast",
    .name = "pipeline",
    .summary = "One chain through all ranks, node by node, hands on piece by piece.",
    .source = "auto-tuning paper (2009); Open MPI pipeline",
    .cost_text =
        "(k + P - 2) messages of M/k in time; M into and out of every node, by one of its links",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round>,
    .cost = nullptr,
    .build = build_bcast_pipeline,
};

}  // namespace suiro
