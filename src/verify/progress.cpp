// SPDX-License-Identifier: BSD-3-Clause
#include "verify/progress.hpp"

#include <algorithm>

namespace suiro {

namespace {

// Longer cycles are cut in messages.
constexpr std::size_t cycle_shown_maximum = 6;

bool local(const Step& step) {
  return step.action == Action::copy || step.action == Action::reduce;
}

}  // namespace

Progress::Progress(const Program& program, ProgressEvents& events)
    : program_(program),
      events_(events),
      ranks_(program.schedule().ranks),
      pending_(static_cast<std::size_t>(program.schedule().ranks) * program.schedule().rounds),
      posted_(program.operations().size()),
      complete_(program.operations().size()) {}

bool Progress::run() {
  for (int rank = 0; rank < program_.schedule().ranks; ++rank) wake(rank);
  while (!runnable_.empty()) {
    const int rank = runnable_.back();
    runnable_.pop_back();
    ranks_[rank].queued = false;
    while (may_start(rank)) start_round(rank);
  }
  return std::ranges::all_of(ranks_, [this](const RankState& state) {
    return state.oldest == program_.schedule().rounds;
  });
}

/// As if nothing overtook: what overtakes starts no later, and what has started earlier only helps
/// others.
bool Progress::may_start(int rank) const {
  const RankState& state = ranks_[rank];
  if (state.started == program_.schedule().rounds) return false;
  if (state.started - state.oldest >= program_.schedule().window) return false;
  return state.oldest == state.started || !program_.fence(rank, state.started);
}

void Progress::start_round(int rank) {
  const std::int64_t round = ranks_[rank].started++;
  const auto [first, last] = program_.range(rank, round);
  // The extra one keeps the round from completing while it is being posted.
  pending(rank, round) = last - first + 1;
  for (std::int64_t index = first; index < last; ++index) {
    if (local(program_.operations()[index].step)) post(index);
  }
  for (std::int64_t index = first; index < last; ++index) {
    if (!local(program_.operations()[index].step)) post(index);
  }
  --pending(rank, round);
  wake(rank);
}

void Progress::post(std::int64_t index) {
  const Operation& operation = program_.operations()[index];
  events_.started(operation);
  posted_[index] = true;
  if (operation.match < 0) {
    complete(index);
  } else if (posted_[operation.match]) {
    const bool sends = operation.step.action == Action::send;
    const Operation& other = program_.operations()[operation.match];
    events_.matched(sends ? operation : other, sends ? other : operation);
    complete(index);
    complete(operation.match);
  }
}

void Progress::complete(std::int64_t index) {
  const Operation& operation = program_.operations()[index];
  complete_[index] = true;
  if (--pending(operation.rank, operation.round) == 0) wake(operation.rank);
}

/// Rounds of the rank may have completed; others may start.
void Progress::wake(int rank) {
  RankState& state = ranks_[rank];
  while (state.oldest < state.started && pending(rank, state.oldest) == 0) ++state.oldest;
  if (state.queued) return;
  state.queued = true;
  runnable_.push_back(rank);
}

std::int64_t& Progress::pending(int rank, std::int64_t round) {
  return pending_[static_cast<std::size_t>(rank) * program_.schedule().rounds + round];
}

/// A rank that waits has at least one posted operation in its oldest round that is not complete.
std::int64_t Progress::first_blocked(int rank) const {
  auto [index, last] = program_.range(rank, ranks_[rank].oldest);
  while (index < last && complete_[index]) ++index;
  return index;
}

void Progress::report_deadlock(Findings& findings) const {
  const auto waits = [this](const RankState& state) {
    return state.oldest < program_.schedule().rounds;
  };
  const auto first = std::ranges::find_if(ranks_, waits);
  int rank = static_cast<int>(first - ranks_.begin());
  // Every rank that waits, waits for one that waits; so following it long enough ends in the cycle.
  const auto peer = [this](int waiting) {
    return program_.operations()[first_blocked(waiting)].step.peer;
  };
  for (int i = 0; i < program_.schedule().ranks; ++i) rank = peer(rank);
  std::vector<int> cycle{rank};
  for (int next = peer(rank); next != rank; next = peer(next)) cycle.push_back(next);

  std::string text = "deadlock: ";
  for (std::size_t i = 0; i < std::min(cycle.size(), cycle_shown_maximum); ++i) {
    const Operation& operation = program_.operations()[first_blocked(cycle[i])];
    text += (i == 0 ? "rank " : "; rank ") + std::to_string(operation.rank) + " waits in round " +
            std::to_string(operation.round) + " for its " + text_of(operation.step);
  }
  if (cycle.size() > cycle_shown_maximum) {
    text += "; ... a cycle of " + std::to_string(cycle.size()) + " ranks";
  }
  text += "; " + std::to_string(std::ranges::count_if(ranks_, waits)) + " ranks are stuck";
  const Operation& blocked = program_.operations()[first_blocked(rank)];
  const bool sends = blocked.step.action == Action::send;
  findings.add(blocked.rank, blocked.round,
               (sends ? blocked.step.source : blocked.step.target).first, text);
}

}  // namespace suiro
