// SPDX-License-Identifier: BSD-3-Clause
// Pipeline: one chain through all ranks, node by node, whose end is the root, reduces piece by
// piece.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_pipeline(const Call& call, const Parameters& parameters) {
  const Tree tree = chain_tree(call.topology.ranks(), 1);
  return named(reduce_pipeline, call, parameters, reduce_up(tree, call, parameters));
}

}  // namespace

constinit const Algorithm reduce_pipeline = {
    .collective = "reduce",
    .name = "pipeline",
    .summary =
        "One chain through all ranks, node by node, reduces piece by piece; its end is the root.",
    .source = "auto-tuning paper (2009); Open MPI pipeline",
    .cost_text =
        "(k + P - 2) messages of M/k in time; M into and out of every node, by one of its links; "
        "scratch for 13 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::one_peer_per_node_per_round, Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_pipeline,
};

}  // namespace suiro
