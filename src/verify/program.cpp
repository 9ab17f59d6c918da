// SPDX-License-Identifier: BSD-3-Clause
#include "verify/program.hpp"

namespace suiro {

Program::Program(const Schedule& schedule, const Collective& collective)
    : schedule_(schedule), collective_(collective) {
  ends_.reserve(static_cast<std::size_t>(schedule.ranks) * schedule.rounds);
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, round);
      for (const Step& step : round.steps) {
        operations_.push_back({.rank = rank, .round = index, .step = step});
      }
      ends_.push_back(std::ssize(operations_));
      fences_.push_back(round.fence);
    }
  }
}

std::int64_t Program::blocks(Buffer buffer) const {
  switch (buffer) {
    case Buffer::send:
      return collective_.send_blocks(schedule_.ranks);
    case Buffer::receive:
      return collective_.receive_blocks(schedule_.ranks);
    case Buffer::scratch:
      return schedule_.scratch;
  }
  return 0;
}

std::pair<std::int64_t, std::int64_t> Program::range(int rank, std::int64_t round) const {
  const std::size_t here = slot(rank, round);
  return {here == 0 ? 0 : ends_[here - 1], ends_[here]};
}

namespace {

std::string_view name_of(Buffer buffer) {
  static constexpr std::string_view names[] = {"send", "receive", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

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
  switch (step.action) {
    case Action::send:
      return "send of " + text_of(step.source) + " to rank " + std::to_string(step.peer);
    case Action::receive:
      return "receive of " + text_of(step.target) + " from rank " + std::to_string(step.peer);
    case Action::copy:
      return "copy of " + text_of(step.source) + " to " + text_of(step.target);
    case Action::reduce:
      return "reduction of " + text_of(step.source) + " into " + text_of(step.target);
  }
  return "step";
}

}  // namespace suiro
