// SPDX-License-Identifier: BSD-3-Clause
// Pairwise: in step i every rank sends the rank i further its operand of that one's block. When all
// have come they are reduced in the order of ranks.
#include "algorithms/reduce_scatter/reduce_scatter.hpp"

namespace suiro {

namespace {

Schedule build_reduce_scatter_block_pairwise(const Call& call, const Parameters& parameters) {
  const int size = call.topology.ranks();
  Schedule schedule = named(reduce_scatter_block_pairwise, call, parameters);
  schedule.rounds = size;
  schedule.scratch = size;
  schedule.function = [size](int me, std::int64_t i, Round& round) {
    const auto operand = [&](int rank) {
      return rank == me ? Blocks{Buffer::send, me, 1} : Blocks{Buffer::scratch, rank, 1, me};
    };
    const auto away = static_cast<int>(i + 1);
    if (away < size) {
      const int from = (me + size - away) % size;
      const int to = (me + away) % size;
      round.steps.push_back(receive(from, operand(from)));
      round.steps.push_back(send({Buffer::send, to, 1}, to));
      return;
    }
    const Blocks sum{Buffer::receive, 0, 1};
    round.steps.push_back(copy(operand(size - 1), sum));
    for (int rank = size - 2; rank >= 0; --rank) {
      round.steps.push_back(reduce(operand(rank), sum));
    }
  };
  return schedule;
}

}  // namespace

constinit const Algorithm reduce_scatter_block_pairwise = {
    .collective = "reduce_scatter_block",
    .name = "pairwise",
    .summary = "Every rank gets all operands of its block from their ranks, one after the other.",
    .source = "MPICH pairwise",
    .cost_text = "P - 1 messages of M in time; a (P - a) M through every port; scratch P M",
    .parameters = {},
    .properties = having<Property::ordered>,
    .cost = nullptr,
    .build = build_reduce_scatter_block_pairwise,
};

}  // namespace suiro
