// SPDX-License-Identifier: BSD-3-Clause
// Binomial: blocks go up a binomial tree of ranks, those of a subtree together.
#include "algorithms/gather/gather.hpp"

namespace suiro {

namespace {

Schedule build_gather_binomial(const Call& call, const Parameters& parameters) {
  return named(gather_binomial, call, parameters,
               gather_up(knomial_tree(call.topology.ranks(), 2), ranks_from(call)));
}

}  // namespace

constinit const Algorithm gather_binomial = {
    .collective = "gather",
    .name = "binomial",
    .summary = "Blocks go up a binomial tree of ranks, those of a subtree together.",
    .source = "MPICH and Open MPI binomial",
    .cost_text = "log2 P messages of up to P/2 M in time; (P - a) M through the root's port",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_gather_binomial,
};

}  // namespace suiro
