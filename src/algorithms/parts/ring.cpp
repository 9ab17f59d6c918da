// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/ring.hpp"

#include <algorithm>

#include "algorithms/parts/segments.hpp"

namespace suiro {

namespace {

// More in flight than this only take memory.
constexpr std::int64_t ring_stride_max = 4;

// A rank's scratch for longer segments than eager ones.
constexpr std::int64_t scratch_max = 16 << 20;

}  // namespace

RingPlan::RingPlan(int size, std::int64_t block)
    : size_(size), block_(block), stride_(std::min(block, ring_stride_max)) {}

std::int64_t RingPlan::rounds() const {
  return (block_ + stride_ - 1) / stride_ * steps() * stride_;
}

Range RingPlan::sent(int rank, std::int64_t i) const {
  const std::int64_t of_block = i / (stride_ * steps()) * stride_ + i % stride_;
  if (of_block >= block_) return {};
  const std::int64_t block = (rank + 2 * size_ - step(i)) % size_;
  return {block * block_ + of_block, 1};
}

Range RingPlan::needed(int rank, std::int64_t i) const {
  return step(i) < size_ && i < rounds() ? sent(rank, i) : Range{};
}

Range RingPlan::known(int rank, std::int64_t i) const {
  if (i < rounds() && step(i) >= size_ - 1) return sent(rank, i);
  if (size_ == 1 || i < stride_ * steps() || step(i) > 0) return {};
  const auto before = static_cast<int>((rank + size_ - 1) % size_);
  return sent(before, i - stride_);
}

void set_pace(Schedule& schedule, std::int64_t stride, std::int64_t steps) {
  schedule.receive_window = stride;
  schedule.lookahead = std::min(stride, (steps - 1) * stride);
  schedule.window = std::min(2 * stride, steps * stride - schedule.lookahead);
}

std::int64_t places_to_leave(std::int64_t stride) { return 4 * stride; }

std::int64_t places_to_reduce(std::int64_t stride) { return 2 * stride + 1; }

std::int64_t kept_for_node(const Topology& topology) {
  constexpr std::int64_t of_a_rank = 18;
  return of_a_rank * topology.max_ppn();
}

std::int64_t ring_pieces(std::int64_t block_bytes, std::int64_t in_flight, const Call& call,
                         const Parameters& parameters, std::int64_t kept) {
  std::int64_t segment = parameters.at(std::string(segment_parameter));
  if (segment == 0) {
    const std::int64_t least = std::min(segment_worth_starting(call.link), eager_bytes);
    const std::int64_t most =
        std::clamp(scratch_max / kept, eager_bytes, longest_segment(call.link));
    segment = std::clamp(block_bytes / in_flight, least, most);
  }
  return pieces_of(block_bytes, segment);
}

Schedule ring_allreduce(const RingPlan& plan) {
  const int size = plan.size();
  Schedule schedule;
  schedule.ranks = size;
  schedule.pieces = plan.pieces();
  schedule.rounds = plan.rounds();
  // In place, a rank's own block is still leaving when its result arrives, size - 1 steps later.
  set_pace(schedule, plan.stride(), std::max(size - 1, 1));
  const std::int64_t places = std::min(places_to_leave(plan.stride()), plan.rounds());
  schedule.scratch = size > 1 ? places : 0;
  schedule.function = [plan, size, places](int me, std::int64_t i, Round& round) {
    const auto [piece, count] = plan.sent(me, i);
    if (count == 0) return;
    const int before = (me + size - 1) % size;
    const std::int64_t step = plan.step(i);
    const bool reducing = step < size - 1;
    const auto arriving = [places](std::int64_t at, std::int64_t what) {
      return Blocks{Buffer::scratch, at % places, 1, what};
    };
    if (size > 1) {
      const std::int64_t next = plan.sent(before, i).first;
      round.steps.push_back(
          receive(before, reducing ? arriving(i, next) : Blocks{Buffer::receive, next, 1}));
    }
    const Blocks own{Buffer::send, piece, 1};
    const Blocks sum = step == 0 ? own : arriving(i - plan.stride(), piece);
    const Blocks result{Buffer::receive, piece, 1};
    if (step > 0 && step < size) round.steps.push_back(reduce(own, sum));
    if (step == size - 1) round.steps.push_back(copy(sum, result));
    if (size > 1) round.steps.push_back(send(reducing ? sum : result, (me + 1) % size));
  };
  return schedule;
}

Schedule ring_allgather(int size, const std::function<int(int rank)>& held) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.pieces = size;
  schedule.rounds = size - 1;
  set_pace(schedule, 1);
  schedule.function = [size, held](int me, std::int64_t i, Round& round) {
    const auto step = static_cast<int>(i);
    const auto pass = [&](int from, int to, auto make) {
      const int piece = (from + size - step) % size;
      const bool has = (piece + size - to) % size < held(to);
      if (!has) round.steps.push_back(make(Blocks{Buffer::receive, piece, 1}));
    };
    const int before = (me + size - 1) % size;
    const int next = (me + 1) % size;
    pass(before, me, [&](const Blocks& blocks) { return receive(before, blocks); });
    pass(me, next, [&](const Blocks& blocks) { return send(blocks, next); });
  };
  return schedule;
}

}  // namespace suiro
