// SPDX-License-Identifier: BSD-3-Clause
// Bruck backwards: as recursive halving, with ranks of any number, and groups that go round the
// end.
#include "algorithms/reduce_scatter/reduce_scatter.hpp"

namespace suiro {

namespace {

Schedule build_reduce_scatter_block_bruck(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  return named(reduce_scatter_block_bruck, call, parameters,
               reversed(bruck_allgather(ranks), ranks));
}

}  // namespace

constinit const Algorithm reduce_scatter_block_bruck = {
    .collective = "reduce_scatter_block",
    .name = "bruck",
    .summary = "Sums of up to half of all blocks go 2^i ranks further, in ceil(log2 P) steps.",
    .source = "Bruck et al. (1997), backwards",
    .cost_text =
        "ceil(log2 P) messages in time, some in two parts; (P - 1) M out of a rank; scratch 2 P M "
        "at most",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_reduce_scatter_block_bruck,
};

}  // namespace suiro
