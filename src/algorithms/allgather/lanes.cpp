// SPDX-License-Identifier: BSD-3-Clause
// Lanes: ranks of a node tell each other their blocks; the blocks of nodes go round a ring of
// nodes, cut in as many lanes as the smallest node has ranks, each driven by one rank of every
// node, which hands on what comes to the others of its node.
#include "algorithms/lanes.hpp"

#include <algorithm>

#include "algorithms/allgather/allgather.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec};
constexpr Property properties[] = {Property::one_peer_per_node_per_round, Property::port_optimal};

/// All of a node tell each other their own blocks, a piece in each round.
Schedule tell_node(const std::vector<int>& node, std::int64_t pieces) {
  const auto size = static_cast<int>(node.size());
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = pieces;
  schedule.window = pieces;
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const auto piece = [&](int of) { return Blocks{Buffer::receive, node[of] * pieces + i, 1}; };
    for (int away = 1; away < size; ++away) {
      const int from = (me + size - away) % size;
      round.steps.push_back(receive(from, piece(from)));
      round.steps.push_back(send(piece(me), (me + away) % size));
    }
  };
  return schedule;
}

Schedule build_lanes(const Call& call, const Parameters& parameters) {
  return named(allgather_lanes, call, parameters, gather_in_lanes(call, parameters));
}

}  // namespace

constinit const Algorithm allgather_lanes = {
    .collective = "allgather",
    .name = "lanes",
    .summary = "Every rank drives a ring of nodes with its share of its node's blocks.",
    .source = "suiro",
    .cost_text = "(N - 1) messages of M in time, of a ranks at once; (P - a) M through every port",
    .parameters = parameters_taken,
    .properties = properties,
    .cost = nullptr,
    .build = build_lanes,
};

Schedule gather_in_lanes(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, 0);
  const auto size = static_cast<int>(nodes.size());
  const int lanes = lanes_of(nodes);
  const std::int64_t pieces = ring_pieces(call.bytes, 1, call, parameters);
  std::size_t most = 0;
  for (const std::vector<int>& node : nodes) most = std::max(most, node.size());
  const std::int64_t items = (static_cast<std::int64_t>(most) + lanes - 1) / lanes * pieces;
  std::vector<Circulation> rings;
  std::vector<Part> parts;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto held = [=](int node, std::int64_t item) -> std::int64_t {
      const std::size_t at = static_cast<std::size_t>(lane + item / pieces * lanes);
      return at < nodes[node].size() ? nodes[node][at] * pieces + item % pieces : -1;
    };
    rings.emplace_back(size, items, held);
    parts.push_back(among(nodes, static_cast<std::size_t>(lane), rings.back().schedule()));
  }
  const std::int64_t stride = rings.front().stride();
  const std::int64_t rounds = rings.front().rounds();
  const auto tell = [&](int node, int) { return tell_node(nodes[node], pieces); };
  const auto share = [&](int node, int ranks) {
    const auto came = [=](int lane, std::int64_t i) { return rings[lane].arriving(node, i); };
    return share_lanes(ranks, lanes, rounds, stride, came);
  };
  const int ranks = call.topology.ranks();
  const Schedule inside = overlapped(own_block(ranks, pieces), within(nodes, tell), 0);
  Schedule whole = inside;
  if (size > 1) {
    // What a lane drives of ranks that have no lane of their own must have come.
    const bool even = static_cast<int>(most) == lanes;
    const Schedule ring = side_by_side(ranks, parts, 0);
    const std::int64_t ahead = even ? 0 : pieces + ring.receive_reach();
    whole = overlapped(overlapped(inside, ring, ahead), within(nodes, share), ahead + stride);
  }
  whole.pieces = pieces;
  return whole;
}

std::int64_t most_in_lanes(const Topology& topology) {
  std::int64_t most = 1;
  for (int node = 0; node < topology.nodes(); ++node) {
    most = std::max<std::int64_t>(most, 2 * topology.ppn(node));
  }
  return most;
}

}  // namespace suiro
