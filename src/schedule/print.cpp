// SPDX-License-Identifier: BSD-3-Clause
// The text form, written. Rounds without steps and without a fence are left out: the parser fills
// them in.
#include <algorithm>
#include <stdexcept>

#include "schedule/schedule.hpp"

namespace suiro {

namespace {

// Ranks per `nodes` line: short enough to read, and far below the limit on a line's length.
constexpr std::size_t nodes_per_line = 16;

void append_number(std::string& text, std::string_view key, std::int64_t value) {
  text.append(key).append(" ").append(std::to_string(value)).append("\n");
}

void append_nodes(std::string& text, const std::vector<int>& node_of_rank) {
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    text.append(rank % nodes_per_line == 0 ? "nodes " : " ");
    text.append(std::to_string(node_of_rank[rank]));
    if ((rank + 1) % nodes_per_line == 0 || rank + 1 == node_of_rank.size()) text.append("\n");
  }
}

void append_header(std::string& text, const Schedule& schedule) {
  text.append("suiro-schedule 1\n");
  text.append("collective ").append(schedule.collective).append("\n");
  text.append("algorithm ").append(schedule.algorithm).append("\n");
  for (const auto& [name, value] : schedule.parameters) {
    append_number(text, "parameter " + name, value);
  }
  append_number(text, "ranks", schedule.ranks);
  append_nodes(text, schedule.node_of_rank);
  if (schedule.root != 0) append_number(text, "root", schedule.root);
  if (schedule.pieces != 1) append_number(text, "pieces", schedule.pieces);
  append_number(text, "rounds", schedule.rounds);
  append_number(text, "window", schedule.window);
  if (schedule.receive_window != 0) {
    append_number(text, "receive_window", schedule.receive_window);
  }
  if (schedule.overtaking) text.append("overtaking\n");
  append_number(text, "lookahead", schedule.lookahead);
  append_number(text, "scratch", schedule.scratch);
  if (schedule.work) text.append("work\n");
  if (schedule.shared != 0) append_number(text, "shared", schedule.shared);
}

void append_blocks(std::string& text, const Blocks& blocks) {
  text.append(buffer_names[static_cast<std::size_t>(blocks.buffer)]);
  text.append("[").append(std::to_string(blocks.first));
  if (blocks.count != 1) text.append(" x ").append(std::to_string(blocks.count));
  if (blocks.piece >= 0) text.append(" of ").append(std::to_string(blocks.piece));
  text.append("]");
}

void append_step(std::string& text, const Step& step) {
  switch (step.action) {
    case Action::send:
      append_blocks(text.append("  send "), step.source);
      text.append(" -> ").append(std::to_string(step.peer));
      break;
    case Action::receive:
      append_blocks(text.append("  receive "), step.target);
      text.append(" <- ").append(std::to_string(step.peer));
      break;
    case Action::copy:
    case Action::reduce:
      text.append(step.action == Action::copy ? "  copy " : "  reduce ");
      append_blocks(text, step.source);
      if (step.peer >= 0) text.append(" of ").append(std::to_string(step.peer));
      append_blocks(text.append(" -> "), step.target);
      break;
  }
  text.append("\n");
}

void append_rank(std::string& text, const Schedule& schedule, int rank) {
  Round round;
  bool named = false;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(rank, index, round);
    if (round == Round{}) continue;
    if (!named) append_number(text.append("\n"), "rank", rank);
    named = true;
    text.append("round ").append(std::to_string(index)).append(round.fence ? " fence\n" : "\n");
    for (const Step& step : round.steps) append_step(text, step);
  }
}

}  // namespace

std::string print(const Schedule& schedule) {
  if (schedule.ranks > TextLimits::ranks ||
      schedule.rounds > TextLimits::rank_rounds / std::max(schedule.ranks, 1)) {
    throw std::length_error("schedule: " + std::to_string(schedule.ranks) + " ranks x " +
                            std::to_string(schedule.rounds) +
                            " rounds is too large for the text form; try fewer ranks");
  }
  std::string text;
  append_header(text, schedule);
  for (int rank = 0; rank < schedule.ranks; ++rank) append_rank(text, schedule, rank);
  return text;
}

}  // namespace suiro
