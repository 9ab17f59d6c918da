// SPDX-License-Identifier: BSD-3-Clause
// Rabenseifner's: ranks reduce and scatter by recursive halving, so that each has the result of one
// part, and gather the parts by recursive doubling. The largest halves stay among neighbours in
// node order.
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/parts/halving.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_rabenseifner(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  Schedule both = sequence(halve(ranks, Buffer::receive), share_halves(ranks));
  return named(allreduce_rabenseifner, call, parameters,
               relabelled(std::move(both), node_order(call.topology, 0)));
}

}  // namespace

constinit const Algorithm allreduce_rabenseifner = {
    .collective = "allreduce",
    .name = "rabenseifner",
    .summary = "Recursive halving reduces and scatters, recursive doubling gathers.",
    .source = "Rabenseifner (2004); MPICH and Open MPI",
    .cost_text =
        "2 log2 P steps; 2 M (P - 1)/P into and out of a rank, M more where ranks are no power of "
        "two; scratch M, or 2 M there",
    .parameters = {},
    .properties = having<Property::same_everywhere, Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_rabenseifner,
};

}  // namespace suiro
