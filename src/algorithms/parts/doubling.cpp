// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/doubling.hpp"

#include "algorithms/parts/pairing.hpp"

namespace suiro {

namespace {

class DoubleUp {
 public:
  DoubleUp(int size, const Range& what)
      : pairing_{size},
        what_(what),
        own_{Buffer::send, what.first, what.count},
        sum_{Buffer::receive, what.first, what.count} {}

  std::int64_t rounds() const { return pairing_.steps() + 2; }

  void operator()(int me, std::int64_t i, Round& round) const {
    if (pairing_.is_member(me)) {
      double_up(me, i, round);
    } else if (i == 0) {
      round.steps.push_back(send(own_, Pairing::neighbour(me)));
    } else if (i == pairing_.steps() + 1) {
      round.steps.push_back(receive(Pairing::neighbour(me), sum_));
    }
  }

 private:
  /// What arrives in round i, while that of the round before is reduced.
  Blocks arriving(std::int64_t i) const {
    return {Buffer::scratch, i % 2 * what_.count, what_.count, what_.first};
  }

  void take_in(int me, int peer, std::int64_t arrived, Round& round) const {
    const Blocks other = arriving(arrived);
    if (peer < me) {
      round.steps.push_back(reduce(other, sum_));
    } else {
      round.steps.push_back(reduce(sum_, other));
      round.steps.push_back(copy(other, sum_));
    }
  }

  /// Pairs come together in round 0, step s is round s + 1, and the last round is for pairs again.
  void double_up(int me, std::int64_t i, Round& round) const {
    const auto peer = [&](std::int64_t at) {
      return at == 0 ? Pairing::neighbour(me) : pairing_.partner(me, at - 1);
    };
    if (i == 0) round.steps.push_back(copy(own_, sum_));
    if (i > 1 || (i == 1 && pairing_.is_paired(me))) take_in(me, peer(i - 1), i - 1, round);
    if (i <= pairing_.steps() && (i > 0 || pairing_.is_paired(me))) {
      round.steps.push_back(receive(peer(i), arriving(i)));
      if (i > 0) round.steps.push_back(send(sum_, peer(i)));
    }
    if (i > pairing_.steps() && pairing_.is_paired(me)) {
      round.steps.push_back(send(sum_, Pairing::neighbour(me)));
    }
  }

  Pairing pairing_;
  Range what_;
  Blocks own_;
  Blocks sum_;
};

}  // namespace

Schedule double_up(int size, const Range& what) {
  const DoubleUp doubling(size, what);
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = doubling.rounds();
  schedule.scratch = 2 * what.count;
  schedule.function = doubling;
  return schedule;
}

}  // namespace suiro
