// SPDX-License-Identifier: BSD-3-Clause
// What the two-level all-to-all algorithms share: outer steps over nodes, in which all ranks of a
// node send to the same node and receive from the same node, around inner steps over the ranks
// there. They differ in the peer nodes of an outer step.
//
// Rounds of one outer step may be in flight together, up to the parameter `window`. Those of two
// outer steps may not, since the node would then have two peers: the first round of each outer step
// has a fence.
#pragma once

#include "algorithms/alltoall/alltoall.hpp"

namespace suiro::alltoall {

/// The nodes that a node sends to and receives from in an outer step.
struct PeerNodes {
  int to;
  int from;
};

/// Step 0 is the node with itself; over the steps 1 to nodes - 1 each other node comes once in each
/// direction, and in each step a node sends to one node and one node sends to it.
using PeerNodesOf = PeerNodes (*)(int node, int step, int nodes);

/// `staggered` keeps two ranks from sending to each other at about the same time where two nodes
/// send to each other. On TCP the two ranks share one connection, and there the answer to a
/// rendezvous waits behind the data of the other direction.
/// \pre the topology is even
Schedule build_two_level(const Algorithm& algorithm, const Topology& topology,
                         const Parameters& parameters, PeerNodesOf peers, bool staggered);

/// P rounds; a(P-a) blocks on the wire of a node of a ranks; no scratch.
Cost cost_two_level(const Topology& topology, const Parameters&);

/// Why a topology is not even; empty when it is.
std::string unsupported_when_uneven(const Topology& topology);

}  // namespace suiro::alltoall
