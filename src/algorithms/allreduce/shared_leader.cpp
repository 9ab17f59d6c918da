// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and a leader: all ranks of a node publish what they have, one of them folds it,
// reduces with those of other nodes by recursive doubling, and publishes the result. For vectors so
// short that messages and turns count, and not bytes.
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/parts/node_memory.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_shared_leader(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const Range all{0, 1};
  const auto fold = [&](int, int size) { return fold_to_leader(size, all); };
  const auto give = [&](int, int size) { return publish(size, all); };
  const Schedule leaders = in_receive_buffer(double_up(call.topology.nodes()));
  return named(
      allreduce_shared_leader, call, parameters,
      sequence(sequence(within(nodes, fold), across(nodes, leaders)), within(nodes, give)));
}

}  // namespace

constinit const Algorithm allreduce_shared_leader = {
    .collective = "allreduce",
    .name = "shared_leader",
    .summary = "One rank per node folds what its node has in shared memory, and reduces for it.",
    .source = "suiro; Graham and Shipman (2008) inside nodes",
    .cost_text = "log2 N messages of M in time; a - 1 reductions; scratch 2 M, shared M",
    .parameters = {},
    .properties = having<Property::one_peer_per_node_per_round, Property::same_everywhere,
                         Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_shared_leader,
    .in_shared_memory = true,
};

}  // namespace suiro
