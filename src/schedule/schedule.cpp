// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <memory>

namespace suiro {

Schedule materialise(const Schedule& schedule) {
  auto stored = std::make_shared<std::vector<Round>>();
  stored->resize(static_cast<std::size_t>(schedule.ranks) * schedule.rounds);
  const auto slot = [rounds = schedule.rounds](int rank, std::int64_t index) {
    return static_cast<std::size_t>(rank) * rounds + index;
  };
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, (*stored)[slot(rank, index)]);
    }
  }
  Schedule result = schedule;
  result.function = [stored = std::shared_ptr<const std::vector<Round>>(std::move(stored)), slot](
                        int rank, std::int64_t index, Round& round) {
    round = (*stored)[slot(rank, index)];
  };
  return result;
}

namespace {

bool equal_headers(const Schedule& left, const Schedule& right) {
  return left.collective == right.collective && left.algorithm == right.algorithm &&
         left.parameters == right.parameters && left.ranks == right.ranks &&
         left.rounds == right.rounds && left.window == right.window &&
         left.receive_window == right.receive_window && left.root == right.root &&
         left.pieces == right.pieces && left.overtaking == right.overtaking &&
         left.lookahead == right.lookahead && left.scratch == right.scratch &&
         left.work == right.work && left.node_of_rank == right.node_of_rank;
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

}  // namespace suiro
