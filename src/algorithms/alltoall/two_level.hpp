// SPDX-License-Identifier: BSD-3-Clause
// What the two-level all-to-all algorithms share: outer steps over nodes, in which a node sends to
// one node and receives from one node, around inner steps over the ranks there. They differ in the
// peer nodes of an outer step.
//
// Nodes may have any numbers of ranks. Local ranks are cut into layers: a layer's ranks are on the
// same nodes, its members. (With equal nodes there is one layer.) Each layer has outer steps of its
// own members, and an inner step r for each of its local ranks r. In it, between nodes of a and b
// ranks, s and t meet where t = s + r modulo min(a, b): every rank of the larger node once.
//
// So a NIC carries max(a, b) blocks in an inner step, and a layer of width w on n nodes takes
// (n - 1) w inner steps. That is P - A of them in all, A being the largest number of ranks on a
// node, with A blocks each at most: A (P - A) block times, which the largest node needs anyway, so
// nothing is faster. docs/decisions/0009 has the proof.
//
// Rounds of one outer step may be in flight together, up to the parameter `window`. Those of two
// outer steps may not, since the node would then have two peers: the first round of each outer step
// has a fence. Overtaking schedules have none.
#pragma once

#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/alltoall/peers.hpp"

namespace suiro::alltoall {

struct TwoLevelOptions {
  PeersOf peers;

  /// Rounds in flight at most; 0 means as many as ranks per node.
  std::int64_t window;

  /// Nothing waits for an older round, and so not for an outer step either.
  bool overtaking = false;

  /// Keeps two ranks from sending to each other at about the same time, where two nodes send to
  /// each other in one outer step. On TCP the two ranks share one connection, and there, when one
  /// of them is late, its request and its answer wait behind the other's data. Sends come first in
  /// a round for the same reason (docs/decisions/0016).
  bool staggered = true;

  /// Each outer step begins with a round in which ranks exchange messages without payload with
  /// those whom they meet first, so that they begin together (docs/decisions/0016).
  bool meeting = false;
};

Schedule build_two_level(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                         const TwoLevelOptions& options);

/// P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch. Without meetings.
Cost cost_two_level(const Topology& topology, const Parameters&);

/// Those of all layers, between nodes.
std::int64_t outer_steps(const Topology& topology);

}  // namespace suiro::alltoall
