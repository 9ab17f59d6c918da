// SPDX-License-Identifier: BSD-3-Clause
// Tree: up a binomial tree of ranks in node order everybody tells that it has come, and down the
// tree that all have.
#include "algorithms/barrier/barrier.hpp"

namespace suiro {

namespace {

Schedule build_barrier_tree(const Call& call, const Parameters& parameters) {
  const Tree tree = knomial_tree(call.topology.ranks(), 2);
  const Schedule both = sequence(reduce_up(tree, 1, Operands::any), send_down(tree, 1));
  return named(barrier_tree, call, parameters,
               relabelled(without_payload(both), node_order(call.topology, 0)));
}

}  // namespace

constinit const Algorithm barrier_tree = {
    .collective = "barrier",
    .name = "tree",
    .summary = "All tell it up a binomial tree and are told down it.",
    .source = "Open MPI tree",
    .cost_text = "2 log2 P messages in time",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_barrier_tree,
};

}  // namespace suiro
