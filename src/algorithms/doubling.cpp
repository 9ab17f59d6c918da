// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/doubling.hpp"

#include "algorithms/pairing.hpp"

namespace suiro {

namespace {

constexpr Blocks own{Buffer::send, 0, 1};
constexpr Blocks sum{Buffer::receive, 0, 1};

/// What arrives in round i, while that of the round before is reduced.
Blocks arriving(std::int64_t i) { return {Buffer::scratch, i % 2, 1, 0}; }

void take_in(int me, int peer, std::int64_t arrived, Round& round) {
  const Blocks other = arriving(arrived);
  if (peer < me) {
    round.steps.push_back(reduce(other, sum));
  } else {
    round.steps.push_back(reduce(sum, other));
    round.steps.push_back(copy(other, sum));
  }
}

/// Pairs come together in round 0, step s is round s + 1, and the last round is for pairs again.
void double_up_member(const Pairing& pairing, int me, std::int64_t i, Round& round) {
  const auto peer = [&](std::int64_t at) {
    return at == 0 ? Pairing::neighbour(me) : pairing.partner(me, at - 1);
  };
  if (i == 0) round.steps.push_back(copy(own, sum));
  if (i > 1 || (i == 1 && pairing.is_paired(me))) take_in(me, peer(i - 1), i - 1, round);
  if (i <= pairing.steps() && (i > 0 || pairing.is_paired(me))) {
    round.steps.push_back(receive(peer(i), arriving(i)));
    if (i > 0) round.steps.push_back(send(sum, peer(i)));
  }
  if (i > pairing.steps() && pairing.is_paired(me)) {
    round.steps.push_back(send(sum, Pairing::neighbour(me)));
  }
}

}  // namespace

Schedule double_up(int size) {
  const Pairing pairing{size};
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = pairing.steps() + 2;
  schedule.scratch = 2;
  schedule.function = [pairing](int me, std::int64_t i, Round& round) {
    if (pairing.is_member(me)) {
      double_up_member(pairing, me, i, round);
    } else if (i == 0) {
      round.steps.push_back(send(own, Pairing::neighbour(me)));
    } else if (i == pairing.steps() + 1) {
      round.steps.push_back(receive(Pairing::neighbour(me), sum));
    }
  };
  return schedule;
}

}  // namespace suiro
