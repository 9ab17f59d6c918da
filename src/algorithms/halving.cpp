// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/halving.hpp"

#include <algorithm>

#include "algorithms/pairing.hpp"
#include "algorithms/ring.hpp"

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

/// A range of pieces in a buffer; of scratch, from block `at` on, piece by piece.
std::vector<Blocks> blocks_of(const Range& range, Buffer buffer, std::int64_t at) {
  if (buffer != Buffer::scratch) return {{buffer, range.first, range.count}};
  std::vector<Blocks> blocks;
  for (std::int64_t i = 0; i < range.count; ++i) {
    blocks.push_back({buffer, at + i, 1, range.first + i});
  }
  return blocks;
}

class Halving {
 public:
  Halving(int size, Buffer sums) : pairing_{size}, sums_(sums) {
    const std::int64_t pieces = pairing_.members();
    pair_at_ = sums == Buffer::scratch ? pieces : 0;
    steps_at_ = pair_at_ + (pairing_.pairs() > 0 ? pieces : 0);
  }

  /// The halves of all steps have places of their own: pieces / 2 + pieces / 4 + ... + 1.
  std::int64_t scratch() const { return steps_at_ + pairing_.members() - 1; }
  std::int64_t rounds() const { return pairing_.steps() + 2; }

  /// Pairs come together in round 0, step s is round s + 1.
  void operator()(int me, std::int64_t i, Round& round) const {
    if (!pairing_.is_member(me)) {
      if (i > 0) return;
      for (const Blocks& own : own_blocks()) {
        round.steps.push_back(send(own, Pairing::neighbour(me)));
      }
    } else if (i == 0) {
      begin(me, round);
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

  std::vector<Blocks> sums(const Range& range) const {
    return blocks_of(range, sums_, range.first);
  }

  /// What is sent and received of a range must be cut alike.
  std::vector<Blocks> own_blocks() const {
    std::vector<Blocks> own = sums(whole());
    for (Blocks& blocks : own)
      blocks = {Buffer::send, std::max(blocks.piece, std::int64_t{0}), blocks.count};
    return own;
  }

  /// What arrives in step `step` of `range`, or, for step -1, from the other one of a pair.
  std::vector<Blocks> arriving(std::int64_t step, const Range& range) const {
    std::int64_t at = pair_at_;
    if (step >= 0) at = steps_at_ + pairing_.members() - (pairing_.members() >> step);
    if (sums_ == Buffer::scratch) return blocks_of(range, Buffer::scratch, at);
    return {{Buffer::scratch, at, range.count, range.first}};
  }

  void begin(int me, Round& round) const {
    const std::vector<Blocks> own = own_blocks();
    const std::vector<Blocks> sum = sums(whole());
    for (std::size_t i = 0; i < own.size(); ++i) round.steps.push_back(copy(own[i], sum[i]));
    if (!pairing_.is_paired(me)) return;
    for (const Blocks& blocks : arriving(-1, whole())) {
      round.steps.push_back(receive(Pairing::neighbour(me), blocks));
    }
  }

  /// Reduces what came before step `step`.
  void take_in(int me, std::int64_t step, Round& round) const {
    if (step == 0 && !pairing_.is_paired(me)) return;
    const Range range = after(me, step);
    const std::vector<Blocks> arrived = arriving(step - 1, range);
    const std::vector<Blocks> sum = sums(range);
    for (std::size_t i = 0; i < sum.size(); ++i) round.steps.push_back(reduce(arrived[i], sum[i]));
  }

  void exchange(int me, std::int64_t step, Round& round) const {
    const int partner = pairing_.partner(me, step);
    for (const Blocks& blocks : arriving(step, after(me, step + 1))) {
      round.steps.push_back(receive(partner, blocks));
    }
    for (const Blocks& blocks : sums(after(partner, step + 1))) {
      round.steps.push_back(send(blocks, partner));
    }
  }

  Pairing pairing_;
  Buffer sums_;
  std::int64_t pair_at_ = 0;
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
  schedule.function = halving;
  return schedule;
}

Schedule gather_halves(int size) {
  const Pairing pairing{size};
  Schedule schedule = over_pieces(pairing);
  schedule.rounds = pairing.steps() + 1;
  schedule.scratch = pairing.members();
  schedule.function = [pairing](int me, std::int64_t i, Round& round) {
    if (me == 0 && i == 0) {
      round.steps.push_back(copy({Buffer::scratch, 0, 1, 0}, {Buffer::receive, 0, 1}));
    }
    const std::int64_t step = pairing.steps() - 1 - i;
    if (step < 0 || !pairing.is_member(me) || pairing.member(me) >> (step + 1) != 0) return;
    const int partner = pairing.partner(me, step);
    if (me > partner) {
      const Range own = range_after(pairing, pairing.member(me), step + 1);
      for (const Blocks& blocks : blocks_of(own, Buffer::scratch, own.first)) {
        round.steps.push_back(send(blocks, partner));
      }
      return;
    }
    const Range other = range_after(pairing, pairing.member(partner), step + 1);
    for (std::int64_t piece = other.first; piece < other.first + other.count; ++piece) {
      const Blocks kept{Buffer::scratch, piece, 1, piece};
      round.steps.push_back(receive(partner, me == 0 ? Blocks{Buffer::receive, piece, 1} : kept));
    }
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
