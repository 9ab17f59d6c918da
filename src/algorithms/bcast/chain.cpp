// SPDX-License-Identifier: BSD-3-Clause
// Chain: several chains of ranks that begin at the root, each shorter than a pipeline through all.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

Schedule build_bcast_chain(const Call& call, const Parameters& parameters) {
  const Tree tree = chain_tree(call.topology.ranks(), static_cast<int>(parameters.at("chains")));
  return named(bcast_chain, call, parameters, send_down(tree, call, parameters));
}

}  // namespace

constinit const Algorithm bcast_chain = {
    .collective = "bcast",
    .name = "chain",
    .summary = "Several chains of ranks hand on piece by piece; all begin at the root.",
    .source = "Open MPI chain",
    .cost_text =
        "k + (P - 1)/c - 1 messages of M/k in time on a chain, c messages at once at the root; c M "
        "through its port at most",
    .parameters = taking<chains_spec, segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_chain,
};

}  // namespace suiro
