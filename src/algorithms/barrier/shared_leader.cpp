// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and a leader: the ranks of a node tell one of them by signals, these tell each
// other by dissemination, and each tells its node.
#include "algorithms/barrier/barrier.hpp"
#include "algorithms/parts/node_memory.hpp"

namespace suiro {

namespace {

Schedule build_barrier_shared_leader(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto come = [](int, int size) { return without_payload(fold_to_leader(size, {})); };
  const auto leave = [](int, int size) { return without_payload(publish(size, {})); };
  const Schedule leaders = disseminate(static_cast<int>(nodes.size()));
  Schedule all =
      sequence(sequence(within(nodes, come), across(nodes, leaders)), within(nodes, leave));
  all.shared = 1;  // so that messages without payload are signals
  return named(barrier_shared_leader, call, parameters, std::move(all));
}

}  // namespace

constinit const Algorithm barrier_shared_leader = {
    .collective = "barrier",
    .name = "shared_leader",
    .summary = "One rank per node hears of its node in shared memory, and of others by messages.",
    .source = "suiro",
    .cost_text = "ceil(log2 N) messages in time between nodes, 2 signals within",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_barrier_shared_leader,
    .in_shared_memory = true,
};

}  // namespace suiro
