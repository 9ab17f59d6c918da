// SPDX-License-Identifier: BSD-3-Clause
// What the all-to-all algorithms with leaders share. The ranks of a node form groups, each with a
// leader, its lowest rank; only leaders send to other ranks than their own members.
//
// Round 0: the members give the leader their whole send buffers.
// Then the leaders exchange, as a 2-Level Pairwise among themselves: what goes from a group to a
//   group is one message of (members there) x (members here) blocks.
// Last round: the leaders give each member its whole receive buffer.
#pragma once

#include "algorithms/alltoall/alltoall.hpp"

namespace suiro::alltoall {

constexpr std::int64_t other_windows[] = {64};
constexpr ParameterSpec leaders_window = {
    .name = "window",
    .minimum = 1,
    .maximum = 64,
    .fallback = 1,
    .meaning = "leaders that a leader exchanges with at a time",
    .others = other_windows};

/// `leaders` groups per node, or as many as the node has ranks.
Schedule build_leaders(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                       int leaders);

/// G+2 rounds for G groups; a(P-a) blocks on the wire of a node of a ranks; scratch (3m-1)P for a
/// leader of m members, itself included.
Cost cost_leaders(const Topology& topology, int leaders);

}  // namespace suiro::alltoall
