// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/two_level.hpp"

#include <memory>

namespace suiro::alltoall {

namespace {

/// Local ranks, on the peer nodes.
struct PeerRanks {
  int to;
  int from;
};

/// The inner step as the paper has it: everybody counts up.
PeerRanks counted_up(int local, int k, int ppn) {
  return {.to = (local + k) % ppn, .from = (local - k + ppn) % ppn};
}

/// The ranks of the lower node count up and those of the upper node count down, half a turn apart.
/// So what a rank sends and what it gets over one connection are ppn / 2 inner steps apart, always.
PeerRanks staggered_in_pair(bool lower, int local, int k, int ppn) {
  const int half = ppn / 2;
  const int up = (local + k) % ppn;
  const int down = (local - k + ppn) % ppn;
  if (lower) return {.to = (up + half) % ppn, .from = up};
  return {.to = down, .from = (down - half + ppn) % ppn};
}

}  // namespace

Schedule build_two_level(const Algorithm& algorithm, const Topology& topology,
                         const Parameters& parameters, PeerNodesOf peers, bool staggered) {
  const int nodes = topology.nodes();
  const int ppn = topology.max_ppn();
  const std::int64_t window = parameters.at("window");
  Schedule schedule = header(algorithm, topology, parameters);
  schedule.rounds = topology.ranks();
  schedule.window = window == 0 ? ppn : window;
  schedule.function = [nodes, ppn, peers, staggered, fenced = schedule.window > 1,
                       map = std::make_shared<const Topology>(topology)](int me, std::int64_t i,
                                                                         Round& round) {
    const int node = map->node(me);
    const int local = map->local(me);
    const int j = static_cast<int>(i / ppn);
    const int k = static_cast<int>(i % ppn);
    const auto [to_node, from_node] = peers(node, j, nodes);
    const bool pair = staggered && to_node == from_node && to_node != node;
    const auto [to, from] =
        pair ? staggered_in_pair(node < to_node, local, k, ppn) : counted_up(local, k, ppn);
    round.fence = fenced && j > 0 && k == 0;
    exchange(me, map->rank(to_node, to), map->rank(from_node, from), round);
  };
  return schedule;
}

Cost cost_two_level(const Topology& topology, const Parameters&) {
  return {
      .rounds = topology.ranks(), .wire_blocks = wire_blocks_when_direct(topology), .scratch = 0};
}

std::string unsupported_when_uneven(const Topology& topology) {
  if (topology.even()) return {};
  return "needs the same number of ranks on every node, and here there are " + topology.describe();
}

}  // namespace suiro::alltoall
