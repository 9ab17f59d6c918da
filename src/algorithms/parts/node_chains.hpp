// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/segments.hpp"
#include "algorithms/parts/tree.hpp"

namespace suiro {

/// A tree over places in node order from the root: a chain of one rank per node, under which the
/// others of its node are in a binary tree.
struct NodeChain {
  Tree tree;
  std::vector<int> below;  // messages from a place to the first of its node
};

/// More than one where a stream gets a part of its link.
inline constexpr std::int64_t several_chains[] = {8};
inline constexpr ParameterSpec node_chains_spec = {
    .name = "chains",
    .minimum = 0,
    .maximum = 1024,
    .fallback = 0,
    .meaning = "chains through every link; 0: as many as the link is known to take to be filled",
    .others = several_chains};

/// So many for every link of a node, and no more than it has ranks; each with another rank of every
/// node in the chain.
std::vector<NodeChain> node_chains(const Call& call, int for_a_link);

/// Each chain carries an equal share of the message, piece by piece: `over` makes the schedule of
/// one, for so many pieces.
///
/// Two ranks of a node wait for each other, each for pieces of another chain. Where who sends is a
/// round ahead of who waits, that is a deadlock, so such two have to be in the same round. Of those
/// at the root nobody waits for another but the root, or the root for all: there pieces of all
/// chains have to come in one order.
Schedule over_node_chains(
    const Call& call, const Parameters& parameters,
    const std::function<Schedule(const NodeChain&, std::int64_t pieces)>& over);

}  // namespace suiro
