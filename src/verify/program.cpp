// SPDX-License-Identifier: BSD-3-Clause
#include "verify/program.hpp"

#include <algorithm>

namespace suiro {

namespace {

/// In place, a block is copied to where it is: nothing to do.
bool is_idle(const Step& step) {
  return step.action == Action::copy && step.peer < 0 && step.source == step.target;
}

Step placed(Step step, bool in_place) {
  const bool reads = step.action != Action::receive;
  if (in_place && reads && step.source.buffer == Buffer::send) {
    step.source.buffer = Buffer::receive;
  }
  return step;
}

}  // namespace

Program::Program(const Schedule& schedule, const Collective& collective, Placing placing)
    : schedule_(schedule),
      collective_(collective),
      instance_{schedule.ranks, schedule.root, schedule.pieces},
      placing_(placing) {
  ends_.reserve(static_cast<std::size_t>(schedule.ranks) * schedule.rounds);
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, round);
      for (const Step& given : round.steps) {
        const Step step = placed(given, in_place(rank));
        if (in_place(rank) && is_idle(step)) continue;
        operations_.push_back({.rank = rank, .round = index, .step = step});
      }
      ends_.push_back(std::ssize(operations_));
      fences_.push_back(round.fence);
    }
  }
}

std::int64_t Program::blocks(int rank, Buffer buffer) const {
  switch (buffer) {
    case Buffer::send:
      return collective_.send_blocks(instance_, rank);
    case Buffer::receive:
      return collective_.receive_blocks(instance_, rank);
    case Buffer::scratch:
      return schedule_.scratch;
    case Buffer::work:
      return schedule_.work && collective_.cut() ? collective_.pieces(instance_) : 0;
    case Buffer::shared:
      return schedule_.shared;
  }
  return 0;
}

std::int64_t Program::blocks(Buffer buffer) const {
  std::int64_t most = 0;
  for (int rank = 0; rank < schedule_.ranks; ++rank) most = std::max(most, blocks(rank, buffer));
  return most;
}

bool Program::in_place(int rank) const {
  return placing_ == Placing::in_place && blocks(rank, Buffer::send) > 0 &&
         blocks(rank, Buffer::receive) > 0;
}

std::pair<std::int64_t, std::int64_t> Program::range(int rank, std::int64_t round) const {
  const std::size_t here = slot(rank, round);
  return {here == 0 ? 0 : ends_[here - 1], ends_[here]};
}

namespace {

std::string_view name_of(Buffer buffer) { return buffer_names[static_cast<std::size_t>(buffer)]; }

}  // namespace

std::string text_of(Buffer buffer, std::int64_t block) {
  return std::string(name_of(buffer)) + "[" + std::to_string(block) + "]";
}

std::string text_of(const Blocks& blocks) {
  if (blocks.count == 1) return text_of(blocks.buffer, blocks.first);
  return std::string(name_of(blocks.buffer)) + "[" + std::to_string(blocks.first) + " x " +
         std::to_string(blocks.count) + "]";
}

std::string text_of(const Step& step) {
  const std::string owner = reads_peer(step) ? " of rank " + std::to_string(step.peer) : "";
  switch (step.action) {
    case Action::send:
      return "send of " + text_of(step.source) + " to rank " + std::to_string(step.peer);
    case Action::receive:
      return "receive of " + text_of(step.target) + " from rank " + std::to_string(step.peer);
    case Action::copy:
      return "copy of " + text_of(step.source) + owner + " to " + text_of(step.target);
    case Action::reduce:
      return "reduction of " + text_of(step.source) + owner + " into " + text_of(step.target);
  }
  return "step";
}

}  // namespace suiro
