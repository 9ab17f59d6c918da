// SPDX-License-Identifier: BSD-3-Clause
// Split binary tree: one half of the message goes down a binary tree of one half of the ranks, the
// other half down a tree of the others, and ranks at the same place of both exchange what they
// have, all piece by piece.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

/// The root and `size` places from `first` on, as a binary tree under it.
Schedule half(const std::vector<int>& order, int first, int size, std::int64_t pieces,
              std::int64_t offset, const BlockMap& held) {
  std::vector<int> parent{-1};
  const Tree below = binary_tree(size);
  for (const int place : below.parent) parent.push_back(place + 1);
  Part part{.schedule = send_down(tree_of(std::move(parent)), pieces),
            .ranks = {order.front()},
            .map = [=](int rank, Blocks blocks) {
              blocks.first += offset;
              return held(rank, blocks);
            }};
  part.ranks.insert(part.ranks.end(), order.begin() + first, order.begin() + first + size);
  return side_by_side(static_cast<int>(order.size()), {part}, 0);
}

/// Round i: piece i - 1 of the upper half of places, which came a round before, for that of the
/// lower half. Where a place is left over, the root has what it needs.
Schedule exchange(int size, std::int64_t pieces) {
  const int upper = size / 2;
  const int left_over = size % 2 == 0 ? upper : -1;
  Schedule schedule = send_down(linear_tree(1), pieces);
  schedule.ranks = size;
  schedule.rounds = pieces + 1;
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const auto of_upper = [](std::int64_t piece) { return Blocks{Buffer::receive, piece, 1}; };
    const auto of_lower = [=](std::int64_t piece) { return of_upper(pieces + piece); };
    if (me == left_over) {
      if (i < pieces) round.steps.push_back(receive(0, of_lower(i)));
    } else if (i == 0) {
      return;
    } else if (me == 0) {
      if (left_over > 0) round.steps.push_back(send(of_lower(i - 1), left_over));
    } else if (me <= upper) {
      round.steps.push_back(receive(me + upper, of_lower(i - 1)));
      round.steps.push_back(send(of_upper(i - 1), me + upper));
    } else {
      round.steps.push_back(receive(me - upper, of_upper(i - 1)));
      round.steps.push_back(send(of_lower(i - 1), me - upper));
    }
  };
  return schedule;
}

Schedule build_bcast_split_binary(const Call& call, const Parameters& parameters) {
  const int size = call.topology.ranks();
  const std::vector<int> order = node_order(call.topology, call.root);
  const int upper = size / 2;
  const std::int64_t pieces =
      segments_of(call.bytes / 2, binary_tree(size).depth, call, parameters);
  const BlockMap held = held_at(call.root);
  Part swap{.schedule = exchange(size, pieces), .ranks = order, .map = held};
  Schedule trees = overlapped(half(order, 1, upper, pieces, 0, held),
                              half(order, 1 + upper, size - 1 - upper, pieces, pieces, held), 0);
  Schedule whole = overlapped(std::move(trees), side_by_side(size, {swap}, 0), 0);
  whole.pieces = 2 * pieces;
  return named(bcast_split_binary, call, parameters, std::move(whole));
}

}  // namespace

constinit const Algorithm bcast_split_binary = {
    .collective = "bcast",
    .name = "split_binary",
    .summary = "Two binary trees take one half of the message each, and their ranks exchange them.",
    .source = "Open MPI split_binary",
    .cost_text = "(k + log2 P - 1) times 2 messages of M/2k in time, and M/2 exchanged meanwhile",
    .parameters = taking<segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_split_binary,
};

}  // namespace suiro
