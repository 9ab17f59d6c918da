// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>
#include <memory>

namespace suiro {

namespace {

/// One after the other: most rounds have few steps, and memory of its own for each takes longer.
class MaterialisedRounds {
 public:
  void add(const Round& round) {
    steps_.insert(steps_.end(), round.steps.begin(), round.steps.end());
    ends_.push_back(steps_.size());
    fences_.push_back(round.fence);
  }

  void get(std::size_t slot, Round& round) const {
    const std::size_t begin = slot == 0 ? 0 : ends_[slot - 1];
    round.steps.assign(steps_.data() + begin, steps_.data() + ends_[slot]);
    round.fence = fences_[slot];
  }

 private:
  std::vector<Step> steps_;
  std::vector<std::size_t> ends_;  // after the last step of each round
  std::vector<bool> fences_;
};

}  // namespace

Schedule materialise(const Schedule& schedule) {
  auto stored = std::make_shared<MaterialisedRounds>();
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, round);
      stored->add(round);
    }
  }
  Schedule result = schedule;
  result.function = [stored = std::shared_ptr<const MaterialisedRounds>(std::move(stored)),
                     rounds = schedule.rounds](int rank, std::int64_t index, Round& found) {
    stored->get(static_cast<std::size_t>(rank) * rounds + index, found);
  };
  return result;
}

namespace {

void touch(const Blocks& blocks, Footprint& footprint) {
  if (blocks.count == 0) return;
  const std::int64_t end = blocks.first + blocks.count;
  if (blocks.buffer == Buffer::scratch) footprint.scratch = std::max(footprint.scratch, end);
  if (blocks.buffer != Buffer::work) return;
  const bool is_first = footprint.work_count == 0;
  const std::int64_t last_end = footprint.work_first + footprint.work_count;
  footprint.work_first = is_first ? blocks.first : std::min(footprint.work_first, blocks.first);
  footprint.work_count = std::max(is_first ? end : last_end, end) - footprint.work_first;
}

}  // namespace

Footprint footprint(const Schedule& schedule, int rank) {
  Footprint found;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(rank, index, round);
    for (const Step& step : round.steps) {
      touch(step.source, found);
      touch(step.target, found);
      if (step.action == Action::send) found.moved += step.source.count;
      if (step.action == Action::receive) found.moved += step.target.count;
    }
  }
  return found;
}

namespace {

bool equal_headers(const Schedule& left, const Schedule& right) {
  return left.collective == right.collective && left.algorithm == right.algorithm &&
         left.parameters == right.parameters && left.ranks == right.ranks &&
         left.rounds == right.rounds && left.window == right.window &&
         left.receive_window == right.receive_window && left.root == right.root &&
         left.pieces == right.pieces && left.overtaking == right.overtaking &&
         left.lookahead == right.lookahead && left.scratch == right.scratch &&
         left.work == right.work && left.shared == right.shared &&
         left.node_of_rank == right.node_of_rank;
}

}  // namespace

bool equal(const Schedule& left, const Schedule& right) {
  if (!equal_headers(left, right)) return false;
  Round left_round;
  Round right_round;
  for (int rank = 0; rank < left.ranks; ++rank) {
    for (std::int64_t index = 0; index < left.rounds; ++index) {
      left.round(rank, index, left_round);
      right.round(rank, index, right_round);
      if (left_round != right_round) return false;
    }
  }
  return true;
}

std::int64_t shared_bytes(const Schedule& schedule, std::int64_t piece_bytes) {
  constexpr std::int64_t beyond = 128;
  return schedule.shared * (piece_bytes + beyond);
}

}  // namespace suiro
