// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/aggregation_scratch.hpp"

#include <algorithm>

#include "algorithms/alltoall/alltoall.hpp"

namespace suiro::alltoall {

AggregationScratch::AggregationScratch(const Carriers& carriers) : carriers_(carriers) {
  const Topology& map = carriers.map();
  std::int64_t ranks = 0;
  for (int node = 0; node < map.nodes(); ++node) {
    first_arrival_.push_back(ranks);
    ranks += map.ppn(node);
    if (!consecutive(map, node)) arrived_ = map.ranks();
    if (map.ppn(node) == 1) continue;  // nothing to gather
    for (int round = 0; round <= carriers.steps(); ++round) make_room(node, round);
  }
}

/// Every area is as large as the rank needs that needs most of it.
void AggregationScratch::make_room(int node, int round) {
  const int ppn = carriers_.map().ppn(node);
  const Gathering gathering = carriers_.gathering(node, round);
  std::int64_t all = 0;
  for (int local = 0; local < ppn; ++local) all += carriers_.carried(node, local, gathering);
  for (int local = 0; local < ppn; ++local) {
    const std::int64_t mine = carriers_.carried(node, local, gathering);
    packed_ = std::max(packed_, all - mine);
    gathered_ = std::max(gathered_, ppn * mine);
    if (round >= carriers_.steps()) continue;
    const int to = carriers_.peers(node, round + 1).to;
    together_ = std::max(together_, ppn * carriers_.carried(node, local, to));
  }
}

Blocks AggregationScratch::gathered(int me, int from, int round) const {
  const Topology& map = carriers_.map();
  const int node = map.node(me);
  const std::int64_t targets =
      carriers_.carried(node, map.local(me), carriers_.gathering(node, round));
  return scratch(gathered_at(round) + from * targets, targets);
}

Blocks AggregationScratch::gathered_block(int me, int from, int round, std::int64_t index,
                                          int target) const {
  if (from == carriers_.map().local(me)) return block_for(target);
  return scratch(gathered(me, from, round).first + index, 1);
}

Blocks AggregationScratch::arrival(int node) const {
  const Topology& map = carriers_.map();
  if (consecutive(map, node)) return {Buffer::receive, map.rank(node, 0), map.ppn(node)};
  return scratch(arrived_at() + first_arrival_[static_cast<std::size_t>(node)], map.ppn(node));
}

}  // namespace suiro::alltoall
