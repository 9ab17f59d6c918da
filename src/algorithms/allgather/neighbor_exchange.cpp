// SPDX-License-Identifier: BSD-3-Clause
// Neighbour exchange: ranks exchange with one neighbour and the other in turn, first their own
// block, then the two that came last. Of an odd number of ranks it is a ring.
#include "algorithms/allgather/allgather.hpp"

namespace suiro {

namespace {

/// Which pair of blocks arrives in a round, by its first: further and further from the rank's own.
int pair_after(int me, std::int64_t i, int size) {
  const auto pairs = static_cast<int>(i % 2 == 1 ? -(i + 1) / 2 : i / 2);
  return (me - me % 2 + (me % 2 == 0 ? 2 : -2) * pairs + 2 * size) % size;
}

Schedule exchange(int size) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = size / 2;
  schedule.function = [size](int me, std::int64_t i, Round& round) {
    const int side = (me + i) % 2 == 0 ? 1 : -1;
    const int other = (me + side + size) % size;
    const Blocks out = i == 0 ? Blocks{Buffer::receive, me, 1}
                              : Blocks{Buffer::receive, pair_after(me, i - 1, size), 2};
    const Blocks in = i == 0 ? Blocks{Buffer::receive, other, 1}
                             : Blocks{Buffer::receive, pair_after(me, i, size), 2};
    round.steps.push_back(receive(other, in));
    round.steps.push_back(send(out, other));
  };
  return schedule;
}

Schedule build_allgather_neighbor_exchange(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  if (ranks % 2 == 1) {
    return named(allgather_neighbor_exchange, call, parameters,
                 gather_round({.topology = call.topology}, {{std::string(segment_parameter), 1}}));
  }
  return named(allgather_neighbor_exchange, call, parameters,
               overlapped(own_block(ranks, 1), exchange(ranks), 0));
}

}  // namespace

constinit const Algorithm allgather_neighbor_exchange = {
    .collective = "allgather",
    .name = "neighbor_exchange",
    .summary = "Ranks exchange with one neighbour and the other in turn what came last.",
    .source = "Chen et al. (2005); Open MPI",
    .cost_text = "P/2 messages of 2 M in time; a ring where P is odd",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_allgather_neighbor_exchange,
};

}  // namespace suiro
