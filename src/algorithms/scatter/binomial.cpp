// SPDX-License-Identifier: BSD-3-Clause
// Binomial: blocks go down a binomial tree of ranks, those of a subtree together.
#include "algorithms/scatter/scatter.hpp"

namespace suiro {

namespace {

Schedule build_scatter_binomial(const Call& call, const Parameters& parameters) {
  return named(scatter_binomial, call, parameters,
               scatter_down(knomial_tree(call.topology.ranks(), 2), ranks_from(call)));
}

}  // namespace

constinit const Algorithm scatter_binomial = {
    .collective = "scatter",
    .name = "binomial",
    .summary = "Blocks go down a binomial tree of ranks, those of a subtree together.",
    .source = "MPICH and Open MPI binomial",
    .cost_text = "log2 P messages of up to P/2 M in time; (P - a) M through the root's port",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_scatter_binomial,
};

}  // namespace suiro
