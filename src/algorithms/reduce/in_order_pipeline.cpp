// SPDX-License-Identifier: BSD-3-Clause
// In-order pipeline: the ranks above the root are one chain down to it, those below it another that
// ends at rank 0, which sends to the root. So operands stay in the order of ranks. Where ranks are
// in the order of nodes and the root is the first or the last of them, every port carries the
// message once.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_in_order_pipeline(const Call& call, const Parameters& parameters) {
  const Tree tree = in_order_chain_tree(call.topology.ranks(), call.root);
  const std::int64_t pieces = segments_of(call.bytes, tree.depth, call, parameters);
  return named(reduce_in_order_pipeline, call, parameters,
               reduce_up(tree, pieces, Operands::in_order));
}

}  // namespace

constinit const Algorithm reduce_in_order_pipeline = {
    .collective = "reduce",
    .name = "in_order_pipeline",
    .summary = "Chains in the order of ranks reduce piece by piece and keep the order of operands.",
    .source = "suiro",
    .cost_text =
        "(k + P - 2) messages of M/k in time; 2 M to a root that is neither first nor last; "
        "scratch for 13 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_in_order_pipeline,
};

}  // namespace suiro
