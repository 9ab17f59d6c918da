// SPDX-License-Identifier: BSD-3-Clause
// Van de Geijn's: a binomial tree scatters the message, so that each rank has a piece, and a ring
// of ranks in node order gathers the pieces for all. What inner ranks of the tree have got already
// does not come again.
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/parts/ring.hpp"

namespace suiro {

namespace {

/// The pieces that a place gets from above: its own and those of all below it.
Range of_subtree(const Tree& tree, int place) {
  const std::int64_t lowest = place & -place;
  const std::int64_t left = tree.size() - place;
  return {place, place == 0 ? left : std::min(lowest, left)};
}

Schedule scatter_down(const Tree& tree) {
  Schedule schedule;
  schedule.ranks = tree.size();
  schedule.pieces = tree.size();
  schedule.rounds = 2;
  schedule.function = [tree](int me, std::int64_t i, Round& round) {
    const auto pieces = [&](int place) {
      const Range range = of_subtree(tree, place);
      return Blocks{Buffer::receive, range.first, range.count};
    };
    if (i == 0) {
      if (me > 0) round.steps.push_back(receive(tree.parent[me], pieces(me)));
      return;
    }
    for (const int child : tree.children[me]) round.steps.push_back(send(pieces(child), child));
  };
  return schedule;
}

Schedule build_bcast_scatter_allgather(const Call& call, const Parameters& parameters) {
  const Tree tree = knomial_tree(call.topology.ranks(), 2);
  const auto held = [tree](int rank) { return static_cast<int>(of_subtree(tree, rank).count); };
  Part part{.schedule = sequence(scatter_down(tree), ring_allgather(tree.size(), held)),
            .ranks = node_order(call.topology, call.root),
            .map = held_at(call.root)};
  return named(bcast_scatter_allgather, call, parameters, side_by_side(tree.size(), {part}, 0));
}

}  // namespace

constinit const Algorithm bcast_scatter_allgather = {
    .collective = "bcast",
    .name = "scatter_allgather",
    .summary = "A binomial tree scatters, a ring gathers.",
    .source = "van de Geijn; MPICH scatter_ring_allgather",
    .cost_text =
        "log2 P + P - 1 messages in time; 2 M (P - 1)/P out of the root, M into every other rank",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_scatter_allgather,
};

}  // namespace suiro
