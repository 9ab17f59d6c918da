// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: the ranks that have something to hand on double again and again.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

Schedule build_bcast_binomial(const Call& call, const Parameters& parameters) {
  const Tree tree = knomial_tree(call.topology.ranks(), 2);
  return named(bcast_binomial, call, parameters, send_down(tree, call, parameters));
}

}  // namespace

constinit const Algorithm bcast_binomial = {
    .collective = "bcast",
    .name = "binomial",
    .summary = "A binomial tree of ranks hands on piece by piece.",
    .source = "MPICH and Open MPI binomial",
    .cost_text = "log2 P messages of M in time, or k log2 P of M/k; log2 P M out of the root",
    .parameters = taking<segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_binomial,
};

}  // namespace suiro
