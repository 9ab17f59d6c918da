// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: in step i ranks 2^i apart exchange all that they have.
#include "algorithms/allgather/allgather.hpp"
#include "algorithms/parts/pairing.hpp"

namespace suiro {

namespace {

/// Members are in the order of ranks, and those of pairs have the blocks of both.
Range ranks_of(const Pairing& pairing, int member, std::int64_t step) {
  const int first = member >> step << step;
  const auto begin = [&](int at) { return at < pairing.pairs() ? 2 * at : at + pairing.pairs(); };
  return {begin(first), begin(first + (1 << step)) - begin(first)};
}

Blocks in(const Range& range) { return {Buffer::receive, range.first, range.count}; }

Schedule build_allgather_recursive_doubling(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  return named(allgather_recursive_doubling, call, parameters,
               overlapped(own_block(ranks, 1), doubling_allgather(ranks), 0));
}

}  // namespace

constinit const Algorithm allgather_recursive_doubling = {
    .collective = "allgather",
    .name = "recursive_doubling",
    .summary = "In step i ranks 2^i apart exchange all that they have.",
    .source = "MPICH and Open MPI recursive doubling",
    .cost_text = "log2 P messages of 2^i M in time, two more where ranks are no power of two",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_allgather_recursive_doubling,
};

Schedule doubling_allgather(int size) {
  const Pairing pairing{size};
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = pairing.steps() + 2;
  schedule.function = [pairing](int me, std::int64_t i, Round& round) {
    const int other = Pairing::neighbour(me);
    const bool member = pairing.is_member(me);
    if (i == 0 && pairing.is_paired(me)) {
      const Blocks second{Buffer::receive, me | 1, 1};
      round.steps.push_back(member ? receive(other, second) : send(second, other));
    }
    if (i > pairing.steps() && pairing.is_paired(me)) {
      const int second = me | 1;  // it has its own
      for (const Range& range : {Range{0, second}, Range{second + 1, pairing.size - second - 1}}) {
        if (range.count == 0) continue;
        round.steps.push_back(member ? send(in(range), other) : receive(other, in(range)));
      }
    }
    if (i == 0 || i > pairing.steps()) return;
    if (!pairing.is_member(me)) return;
    const int partner = pairing.partner(me, i - 1);
    round.steps.push_back(receive(partner, in(ranks_of(pairing, pairing.member(partner), i - 1))));
    round.steps.push_back(send(in(ranks_of(pairing, pairing.member(me), i - 1)), partner));
  };
  return schedule;
}

}  // namespace suiro
