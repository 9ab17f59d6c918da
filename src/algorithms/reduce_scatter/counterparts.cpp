// SPDX-License-Identifier: BSD-3-Clause
// Counterparts last: that of allgather backwards. Every site sums what other sites' ranks get, and
// counterparts give them those sums, n at a time, while their own site sums too.
#include "algorithms/parts/sites.hpp"
#include "algorithms/reduce_scatter/reduce_scatter.hpp"

namespace suiro {

namespace {

Schedule build_reduce_scatter_block_counterparts(const Call& call, const Parameters& parameters) {
  const std::int64_t most =
      most_in_spread(nodes_from(call.topology, 0)) + call.topology.sites() - 1;
  return named(reduce_scatter_block_counterparts, call, parameters,
               reversed(gather_by_counterparts(call, parameters), most));
}

}  // namespace

constinit const Algorithm reduce_scatter_block_counterparts = {
    .collective = "reduce_scatter_block",
    .name = "counterparts",
    .summary =
        "Sites sum what ranks of other sites get, and counterparts exchange it, n at a time.",
    .source = "GridMPI paper, 3.8",
    .cost_text = "L + M/(n B) + the time of lanes at each site",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_reduce_scatter_block_counterparts,
    .for_sites = true,
};

}  // namespace suiro
