// SPDX-License-Identifier: BSD-3-Clause
// Rabenseifner's: ranks reduce and scatter by recursive halving, so that each has the result of one
// part, and a binomial tree gathers the parts at the root. Where ranks are no power of two, some
// give theirs to a neighbour first.
#include "algorithms/parts/halving.hpp"
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_rabenseifner(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  Schedule both = sequence(halve(ranks, Buffer::work), gather_halves(ranks));
  return named(reduce_rabenseifner, call, parameters,
               relabelled(std::move(both), node_order(call.topology, call.root)));
}

}  // namespace

constinit const Algorithm reduce_rabenseifner = {
    .collective = "reduce",
    .name = "rabenseifner",
    .summary = "Recursive halving reduces and scatters, a binomial tree gathers.",
    .source = "Rabenseifner (2004); MPICH and Open MPI",
    .cost_text =
        "2 log2 P messages in time; 2 M (P - 1)/P into the root, M more where ranks are no power "
        "of "
        "two; scratch M, or 2 M there",
    .parameters = {},
    .properties = having<Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_rabenseifner,
};

}  // namespace suiro
