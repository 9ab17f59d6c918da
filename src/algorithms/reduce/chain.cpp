// SPDX-License-Identifier: BSD-3-Clause
// Chain: several chains of ranks that end at the root, each shorter than a pipeline through all.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

Schedule build_reduce_chain(const Call& call, const Parameters& parameters) {
  const Tree tree = chain_tree(call.topology.ranks(), static_cast<int>(parameters.at("chains")));
  return named(reduce_chain, call, parameters, reduce_up(tree, call, parameters));
}

}  // namespace

constinit const Algorithm reduce_chain = {
    .collective = "reduce",
    .name = "chain",
    .summary = "Several chains of ranks reduce piece by piece; all end at the root.",
    .source = "Open MPI chain",
    .cost_text =
        "k + (P - 1)/c - 1 messages of M/k in time on a chain, c messages at once at the root; c M "
        "through its port at most; scratch for 6 c segments at the root, for 13 at others",
    .parameters = taking<chains_spec, segment_spec>,
    .properties = having<Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_chain,
};

}  // namespace suiro
