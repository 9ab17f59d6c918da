// SPDX-License-Identifier: BSD-3-Clause
// Reduce, then bcast: a binomial tree of ranks reduces piece by piece at rank 0, and when it has
// all, the same tree takes the result to all. Operands stay in the order of ranks.
#include "algorithms/allreduce/allreduce.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_nonoverlapping(const Call& call, const Parameters& parameters) {
  const Tree tree = knomial_tree(call.topology.ranks(), 2);
  const std::int64_t pieces = segments_of(call.bytes, tree.depth, call, parameters);
  return named(allreduce_nonoverlapping, call, parameters,
               sequence(reduce_up(tree, pieces, Operands::in_order),
                        in_receive_buffer(send_down(tree, pieces))));
}

}  // namespace

constinit const Algorithm allreduce_nonoverlapping = {
    .collective = "allreduce",
    .name = "nonoverlapping",
    .summary = "A reduce to rank 0 and then a bcast from it, both along a binomial tree.",
    .source = "Open MPI nonoverlapping",
    .cost_text =
        "those of a binomial reduce and a binomial bcast; scratch for 6 log2 P + 1 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::ordered, Property::same_everywhere, Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_nonoverlapping,
};

}  // namespace suiro
