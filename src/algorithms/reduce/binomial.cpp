// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: the ranks that still have something to give are halved again and again.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_binomial(const Call& call, const Parameters& parameters) {
  const Tree tree = knomial_tree(call.topology.ranks(), 2);
  return named(reduce_binomial, call, parameters, reduce_up(tree, call, parameters));
}

}  // namespace

constinit const Algorithm reduce_binomial = {
    .collective = "reduce",
    .name = "binomial",
    .summary = "A binomial tree of ranks reduces piece by piece.",
    .source = "MPICH and Open MPI binomial",
    .cost_text =
        "log2 P messages of M in time, or k log2 P of M/k; log2 P M to the root; scratch for 6 "
        "log2 P + 1 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_binomial,
};

}  // namespace suiro
