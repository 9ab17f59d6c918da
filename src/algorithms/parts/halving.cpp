// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/halving.hpp"

#include <algorithm>

#include "algorithms/parts/pairing.hpp"
#include "algorithms/parts/ring.hpp"

namespace suiro {

namespace {

/// What a member still has to do after so many steps: the lower or upper half, by the bit of its
/// number.
Range range_after(const Pairing& pairing, int member, std::int64_t steps) {
  Range range{0, pairing.members()};
  for (std::int64_t step = 0; step < steps; ++step) {
    range.count /= 2;
    if ((member >> step & 1) != 0) range.first += range.count;
  }
  return range;
}

class Halving {
 public:
  Halving(int size, Buffer sums) : pairing_{size}, sums_(sums) {
    steps_at_ = pairing_.pairs() > 0 ? pairing_.members() : 0;
  }

  /// The halves of all steps have places of their own: pieces / 2 + pieces / 4 + ... + 1.
  std::int64_t scratch() const { return steps_at_ + pairing_.members() - 1; }
  std::int64_t rounds() const { return pairing_.steps() + 2; }

  /// Pairs come together in round 0, step s is round s + 1.
  void operator()(int me, std::int64_t i, Round& round) const {
    const Blocks own = in(Buffer::send, whole());
    if (!pairing_.is_member(me)) {
      if (i == 0) round.steps.push_back(send(own, Pairing::neighbour(me)));
    } else if (i == 0) {
      round.steps.push_back(copy(own, in(sums_, whole())));
      if (!pairing_.is_paired(me)) return;
      round.steps.push_back(receive(Pairing::neighbour(me), arriving(-1, whole())));
    } else {
      take_in(me, i - 1, round);
      if (i <= pairing_.steps()) exchange(me, i - 1, round);
    }
  }

 private:
  Range whole() const { return {0, pairing_.members()}; }
  Range after(int rank, std::int64_t steps) const {
    return range_after(pairing_, pairing_.member(rank), steps);
  }

  /// What arrives in step `step` of `range`, or, for step -1, from the other one of a pair.
  Blocks arriving(std::int64_t step, const Range& range) const {
    const std::int64_t at =
        step < 0 ? 0 : steps_at_ + pairing_.members() - (pairing_.members() >> step);
    return {Buffer::scratch, at, range.count, range.first};
  }

  /// Reduces what came before step `step`.
  void take_in(int me, std::int64_t step, Round& round) const {
    if (step == 0 && !pairing_.is_paired(me)) return;
    const Range range = after(me, step);
    round.steps.push_back(reduce(arriving(step - 1, range), in(sums_, range)));
  }

  void exchange(int me, std::int64_t step, Round& round) const {
    const int partner = pairing_.partner(me, step);
    round.steps.push_back(receive(partner, arriving(step, after(me, step + 1))));
    round.steps.push_back(send(in(sums_, after(partner, step + 1)), partner));
  }

  Pairing pairing_;
  Buffer sums_;
  std::int64_t steps_at_ = 0;
};

Schedule over_pieces(const Pairing& pairing) {
  Schedule schedule;
  schedule.ranks = pairing.size;
  schedule.pieces = pairing.members();
  schedule.lookahead = 1;
  return schedule;
}

}  // namespace

Schedule halve(int size, Buffer sums) {
  const Halving halving(size, sums);
  Schedule schedule = over_pieces(Pairing{size});
  schedule.rounds = halving.rounds();
  schedule.scratch = halving.scratch();
  schedule.work = sums == Buffer::work;
  schedule.function = halving;
  return schedule;
}

Schedule gather_halves(int size) {
  const Pairing pairing{size};
  Schedule schedule = over_pieces(pairing);
  schedule.rounds = pairing.steps() + 1;
  schedule.work = true;
  schedule.function = [pairing](int me, std::int64_t i, Round& round) {
    const Buffer kept = me == 0 ? Buffer::receive : Buffer::work;
    if (me == 0 && i == 0) {
      round.steps.push_back(copy({Buffer::work, 0, 1}, {Buffer::receive, 0, 1}));
    }
    const std::int64_t step = pairing.steps() - 1 - i;
    if (step < 0 || !pairing.is_member(me) || pairing.member(me) >> (step + 1) != 0) return;
    const int partner = pairing.partner(me, step);
    const int upper = std::max(me, partner);
    const Range range = range_after(pairing, pairing.member(upper), step + 1);
    round.steps.push_back(me == upper ? send(in(kept, range), partner)
                                      : receive(partner, in(kept, range)));
  };
  return schedule;
}

Schedule share_halves(int size) {
  const Pairing pairing{size};
  Schedule schedule = over_pieces(pairing);
  schedule.rounds = pairing.steps() + 1;
  schedule.function = [pairing](int me, std::int64_t i, Round& round) {
    const Blocks whole{Buffer::receive, 0, pairing.members()};
    const std::int64_t step = pairing.steps() - 1 - i;
    if (step >= 0 && pairing.is_member(me)) {
      const int partner = pairing.partner(me, step);
      const Range own = range_after(pairing, pairing.member(me), step + 1);
      const Range other = range_after(pairing, pairing.member(partner), step + 1);
      round.steps.push_back(send({Buffer::receive, own.first, own.count}, partner));
      round.steps.push_back(receive(partner, {Buffer::receive, other.first, other.count}));
    } else if (step < 0 && pairing.is_paired(me)) {
      const int neighbour = Pairing::neighbour(me);
      round.steps.push_back(pairing.is_member(me) ? send(whole, neighbour)
                                                  : receive(neighbour, whole));
    }
  };
  return schedule;
}

}  // namespace suiro
