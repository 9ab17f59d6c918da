// SPDX-License-Identifier: BSD-3-Clause
// Linear: every rank sends to the root, which takes in one after the other from the last to the
// first, so operands stay in the order of ranks.
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

// Messages that the root is ready for, ahead of the one that it waits for, and places for them: one
// more is being reduced.
constexpr std::int64_t messages_ahead = 1;
constexpr std::int64_t places = messages_ahead + 2;

Schedule build_reduce_linear(const Call& call, const Parameters& parameters) {
  const int root = call.root;
  const int last = call.topology.ranks() - 1;
  Schedule schedule;
  schedule.rounds = last + 2;
  schedule.lookahead = messages_ahead;
  schedule.scratch = 1 + places;
  schedule.function = [root, last](int me, std::int64_t i, Round& round) {
    const Blocks own{Buffer::send, 0, 1};
    const Blocks result{Buffer::receive, 0, 1};
    const Blocks sum = root == last ? result : Blocks{Buffer::scratch, 0, 1, 0};
    const auto from = [&](int rank) -> Blocks {
      if (rank == root) return own;
      return rank == last ? sum : Blocks{Buffer::scratch, 1 + rank % places, 1, 0};
    };
    if (me != root) {
      if (i == 0) round.steps.push_back(send(own, root));
      return;
    }
    const int next = last - static_cast<int>(i);
    const int arrived = next + 1;
    if (arrived < last) {
      round.steps.push_back(reduce(from(arrived), sum));
    } else if (arrived == last && root == last) {
      round.steps.push_back(copy(own, sum));
    }
    if (next < 0 && sum != result) round.steps.push_back(copy(sum, result));
    if (next >= 0 && next != root) round.steps.push_back(receive(next, from(next)));
  };
  return named(reduce_linear, call, parameters, schedule);
}

}  // namespace

constinit const Algorithm reduce_linear = {
    .collective = "reduce",
    .name = "linear",
    .summary = "Every rank sends to the root, which reduces from the last rank to the first.",
    .source = "MPI Forum; Open MPI linear",
    .cost_text = "P - 1 messages of M to the root; scratch 4 M there",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_linear,
};

}  // namespace suiro
