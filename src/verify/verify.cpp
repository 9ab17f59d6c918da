// SPDX-License-Identifier: BSD-3-Clause
// The order of the checks: what cannot be run safely is refused first.
#include "verify/verify.hpp"

#include <algorithm>

#include "verify/program.hpp"

namespace suiro {

std::string Violation::describe() const {
  std::string where;
  const auto append = [&where](const char* what, std::int64_t number) {
    if (number < 0) return;
    where += (where.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(number);
  };
  append("rank", rank);
  append("round", round);
  append("block", block);
  return where.empty() ? text : where + ": " + text;
}

namespace {

std::string at_most(const char* what, std::int64_t number, std::int64_t limit) {
  return "too large to prove: " + std::to_string(number) + " " + what + ", at most " +
         std::to_string(limit);
}

/// The reason why the schedule cannot be proven at all, or an empty text.
std::string refused(const Schedule& schedule) {
  if (find_collective(schedule.collective) == nullptr) {
    return "there is no postcondition for the collective '" + schedule.collective + "'";
  }
  if (schedule.ranks < 1) return "a schedule needs at least one rank";
  if (schedule.root < 0 || schedule.root >= schedule.ranks) {
    return "there is no rank " + std::to_string(schedule.root) + " to be the root";
  }
  if (schedule.rounds < 0 || schedule.window < 1 || schedule.lookahead < 0 ||
      schedule.scratch < 0 || schedule.shared < 0 || schedule.pieces < 0 ||
      schedule.receive_window < 0) {
    return "rounds, lookahead, scratch, shared, pieces and receive_window cannot be negative, and "
           "the window is at least 1";
  }
  if (schedule.ranks > VerifyLimits::ranks) {
    return at_most("ranks", schedule.ranks, VerifyLimits::ranks);
  }
  if (schedule.rounds > VerifyLimits::rank_rounds / schedule.ranks) {
    return at_most("rounds", schedule.rounds, VerifyLimits::rank_rounds / schedule.ranks);
  }
  if (schedule.scratch > VerifyLimits::scratch / schedule.ranks) {
    return at_most("blocks of scratch", schedule.scratch, VerifyLimits::scratch / schedule.ranks);
  }
  if (schedule.shared > VerifyLimits::scratch / schedule.ranks) {
    return at_most("shared blocks", schedule.shared, VerifyLimits::scratch / schedule.ranks);
  }
  const std::int64_t blocks = find_collective(schedule.collective)->blocks(schedule.ranks);
  const std::int64_t pieces_max = VerifyLimits::scratch / schedule.ranks / blocks;
  if (schedule.pieces > pieces_max) return at_most("pieces", schedule.pieces, pieces_max);
  return {};
}

std::int64_t moved_blocks(const Program& program) {
  std::int64_t moved = 0;
  for (const Operation& operation : program.operations()) {
    moved += std::max(operation.step.source.count, operation.step.target.count);
    if (moved > VerifyLimits::moved_blocks) break;
  }
  return moved;
}

}  // namespace

std::vector<Violation> verify(const Schedule& schedule, Placing placing) {
  Findings findings;
  if (const std::string reason = refused(schedule); !reason.empty()) {
    findings.add(-1, -1, -1, reason);
    return findings.take();
  }
  Program program(schedule, *find_collective(schedule.collective), placing);
  check_steps(program, findings);
  if (!findings.empty()) return findings.take();
  if (const std::int64_t moved = moved_blocks(program); moved > VerifyLimits::moved_blocks) {
    findings.add(-1, -1, -1, at_most("blocks in all steps", moved, VerifyLimits::moved_blocks));
    return findings.take();
  }
  check_matching(program, findings);
  check_races(program, findings);
  check_shared(program, findings);
  check_delivery(program, findings);
  check_arrival(program, findings);
  return findings.take();
}

}  // namespace suiro
