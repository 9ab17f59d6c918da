// SPDX-License-Identifier: BSD-3-Clause
// In-order binary tree: the ranks below the root are one half, those above it the other, and so on
// inside each half; so operands stay in the order of ranks, whichever rank is the root.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_in_order_binary(const Call& call, const Parameters& parameters) {
  const Tree tree = in_order_binary_tree(call.topology.ranks(), call.root);
  const std::int64_t pieces = segments_of(call.bytes, tree.depth, call, parameters);
  return named(reduce_in_order_binary, call, parameters,
               reduce_up(tree, pieces, Operands::in_order));
}

}  // namespace

constinit const Algorithm reduce_in_order_binary = {
    .collective = "reduce",
    .name = "in_order_binary",
    .summary = "A binary tree whose subtrees are consecutive ranks keeps the order of operands.",
    .source = "Open MPI in-order binary, but rooted at the root itself",
    .cost_text = "(k + log2 P - 1) times 2 messages of M/k in time; scratch for 19 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_in_order_binary,
};

}  // namespace suiro
