// SPDX-License-Identifier: BSD-3-Clause
#include "verify/progress.hpp"

#include <algorithm>

namespace suiro {

namespace {

// Longer cycles are cut in messages.
constexpr std::size_t cycle_shown_maximum = 6;

}  // namespace

Progress::Progress(const Program& program, ProgressEvents& events)
    : program_(program),
      events_(events),
      ranks_(program.schedule().ranks),
      pending_sends_(static_cast<std::size_t>(program.schedule().ranks) *
                     program.schedule().rounds),
      pending_receives_(pending_sends_.size()),
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
  for (int rank = 0; rank < program_.schedule().ranks; ++rank) {
    if (oldest(rank) < program_.schedule().rounds) return false;
  }
  return true;
}

/// As if nothing overtook: what overtakes starts no later, and what has started earlier only helps
/// others.
bool Progress::may_start(int rank) const {
  const RankState& state = ranks_[rank];
  const Schedule& schedule = program_.schedule();
  if (state.started == schedule.rounds) return false;
  const std::int64_t receive_window =
      schedule.receive_window == 0 ? schedule.window : schedule.receive_window;
  if (state.started - state.sending >= schedule.window) return false;
  if (state.started - state.receiving >= receive_window) return false;
  return oldest(rank) == state.started || !program_.fence(rank, state.started);
}

void Progress::start_round(int rank) {
  const std::int64_t round = ranks_[rank].started;
  const auto [first, last] = program_.range(rank, round);
  for (std::int64_t index = first; index < last; ++index) {
    const Step& step = program_.operations()[index].step;
    if (is_local(step)) {
      post(index);
    } else {
      ++pending(rank, round, step.action);
    }
  }
  // Counted before any is posted, or the round could complete while it is.
  ++ranks_[rank].started;
  for (std::int64_t index = first; index < last; ++index) {
    if (!is_local(program_.operations()[index].step)) post(index);
  }
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
  if (is_local(operation.step)) return;
  const std::int64_t left = --pending(operation.rank, operation.round, operation.step.action);
  if (left == 0) wake(operation.rank);
}

/// Rounds of the rank may have completed; others may start.
void Progress::wake(int rank) {
  RankState& state = ranks_[rank];
  while (state.sending < state.started && pending(rank, state.sending, Action::send) == 0) {
    ++state.sending;
  }
  while (state.receiving < state.started && pending(rank, state.receiving, Action::receive) == 0) {
    ++state.receiving;
  }
  if (state.queued) return;
  state.queued = true;
  runnable_.push_back(rank);
}

std::int64_t& Progress::pending(int rank, std::int64_t round, Action action) {
  std::vector<std::int64_t>& list = action == Action::send ? pending_sends_ : pending_receives_;
  return list[static_cast<std::size_t>(rank) * program_.schedule().rounds + round];
}

/// The first round that is not complete.
std::int64_t Progress::oldest(int rank) const {
  return std::min(ranks_[rank].sending, ranks_[rank].receiving);
}

/// A rank that waits has at least one posted operation in its oldest round that is not complete.
std::int64_t Progress::first_blocked(int rank) const {
  auto [index, last] = program_.range(rank, oldest(rank));
  while (index < last && complete_[index]) ++index;
  return index;
}

void Progress::report_deadlock(Findings& findings) const {
  std::vector<int> stuck;
  for (int rank = 0; rank < program_.schedule().ranks; ++rank) {
    if (oldest(rank) < program_.schedule().rounds) stuck.push_back(rank);
  }
  int rank = stuck.front();
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
  text += "; " + std::to_string(stuck.size()) + " ranks are stuck";
  const Operation& blocked = program_.operations()[first_blocked(rank)];
  const bool sends = blocked.step.action == Action::send;
  findings.add(blocked.rank, blocked.round,
               (sends ? blocked.step.source : blocked.step.target).first, text);
}

}  // namespace suiro
