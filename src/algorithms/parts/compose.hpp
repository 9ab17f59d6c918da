// SPDX-License-Identifier: BSD-3-Clause
// Schedules made of schedules. A part is a whole schedule for some of the ranks; it says where its
// blocks are in the whole. What is composed is proven like any other schedule, so nothing here has
// to be trusted: a wrong map of blocks is found.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/catalog.hpp"

namespace suiro {

/// `body`, or a schedule yet to be filled in, as what `algorithm` does for `call`.
Schedule named(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
               Schedule body = {});

/// Where blocks of a part's send or receive buffer are in the whole, on a rank of the whole. Empty:
/// where they are in the part. Scratch and shared need no map: scratch begins at the place that
/// side_by_side() is given, and they hold the pieces that the receive buffer has there.
using BlockMap = std::function<Blocks(int rank, Blocks blocks)>;

/// A schedule over the ranks of a group: rank i of the schedule is ranks[i] of the whole.
struct Part {
  Schedule schedule;
  std::vector<int> ranks;
  BlockMap map = {};
};

/// `schedule` with order[i] as its rank i.
Schedule relabelled(Schedule schedule, std::vector<int> order);

/// Parts of disjoint groups run at once; ranks in none of them do nothing. All parts have as much
/// scratch as the largest, from block `scratch_at` on, as many shared blocks, and the shortest
/// window of all. What a map makes a copy of a block to where it is, is left out.
Schedule side_by_side(int ranks, std::vector<Part> parts, std::int64_t scratch_at);

/// Schedules over the same ranks run at once, each for its share of the message: their pieces
/// follow each other.
Schedule striped(std::vector<Schedule> shares);

/// `second` begins on a rank when `first` is complete there. Empty rounds stand between them, so
/// that no receive of `second` is posted before that, and both may use the same scratch.
Schedule sequence(Schedule first, Schedule second);

/// Each rank has its rounds so many later.
Schedule delayed(Schedule schedule, const std::function<std::int64_t(int rank)>& delay);

/// Round i of `second` runs together with round i + delay of `first`: what a pipeline hands on
/// while its next piece is on the way.
Schedule overlapped(Schedule first, Schedule second, std::int64_t delay);

/// `schedule`, which begins with what the receive buffer holds.
Schedule in_receive_buffer(Schedule schedule);

/// Its messages without what they bring, and nothing else.
Schedule without_payload(Schedule schedule);

/// Ranks that belong together, one group after the other; each rank is in one.
using Groups = std::vector<std::vector<int>>;

/// The ranks of each node: beginning with the node of `first`, and `first` the first of its group.
/// Nodes of a site follow each other, so that what goes from node to node leaves a site once.
Groups nodes_from(const Topology& topology, int first);

/// The ranks of each site in that order.
Groups sites_from(const Topology& topology, int first);

/// The same groups of ranks that are numbered in their order.
Groups numbered(const Groups& groups);

/// Ranks of each line take turns: a rank begins when the one `at_once` places before it in its line
/// is done.
Schedule in_turns(Schedule schedule, const Groups& lines, int at_once);

/// Inside each group at once: what `build` has for the group of that number and size.
Schedule within(const Groups& groups, const std::function<Schedule(int group, int size)>& build,
                const BlockMap& map = {}, std::int64_t scratch_at = 0);

/// Among one rank of each group: the one at `place` in it.
Part among(const Groups& groups, std::size_t place, Schedule schedule, BlockMap map = {});
/// The same as a schedule for all ranks: the first of each group.
Schedule across(const Groups& groups, Schedule schedule, BlockMap map = {},
                std::int64_t scratch_at = 0);

/// All ranks, node by node, starting with `first` and its node.
std::vector<int> node_order(const Topology& topology, int first);

}  // namespace suiro
