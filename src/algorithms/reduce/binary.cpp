// SPDX-License-Identifier: BSD-3-Clause
// Binary tree: a rank reduces what two others send with its own, piece by piece.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_binary(const Call& call, const Parameters& parameters) {
  const Tree tree = binary_tree(call.topology.ranks());
  return named(reduce_binary, call, parameters, reduce_up(tree, call, parameters));
}

}  // namespace

constinit const Algorithm reduce_binary = {
    .collective = "reduce",
    .name = "binary",
    .summary = "A binary tree of ranks reduces piece by piece.",
    .source = "Open MPI binary",
    .cost_text = "(k + log2 P - 1) times 2 messages of M/k in time; scratch for 19 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_binary,
};

}  // namespace suiro
