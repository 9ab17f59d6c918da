// SPDX-License-Identifier: BSD-3-Clause
// Runs one rank's part of a schedule over a transport, after the contract at the top of
// schedule/schedule.hpp. An Executor lives as long as its communicator: it keeps the rank's rounds
// when they are few, and its arrays, so that a second run allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "execute/transport_concept.hpp"
#include "schedule/schedule.hpp"

namespace suiro {

class Executor {
 public:
  Executor(Schedule schedule, int rank)
      : schedule_(std::move(schedule)),
        rank_(rank),
        slots_(slot_count(schedule_)),
        reach_(reach(schedule_, std::ssize(slots_))) {}

  const Schedule& schedule() const { return schedule_; }

  /// Runs every round; false after the transport failed.
  template <Transport T>
  bool run(T& transport) {
    oldest_ = started_ = received_ = in_flight_ = 0;
    for (Slot& slot : slots_) slot.pending = 0;
    while (oldest_ < schedule_.rounds) {
      if (!post_receives(transport, started_ + schedule_.lookahead)) return false;
      if (may_start()) {
        if (!start(transport)) return false;
        retire();
      } else if (!wait(transport)) {
        return false;
      }
    }
    return true;
  }

 private:
  /// A round in flight, or kept from an earlier run.
  struct Slot {
    std::int64_t index = -1;
    std::int64_t pending = 0;  // operations that have not completed
    Round round;
  };

  // Rounds up to this many are produced once per communicator.
  static constexpr std::int64_t kept_rounds = 1024;

  static std::size_t slot_count(const Schedule& schedule) {
    const std::int64_t in_flight =
        std::min(schedule.rounds, schedule.window + schedule.lookahead + 1);
    return static_cast<std::size_t>(
        std::max({in_flight, std::min(schedule.rounds, kept_rounds), std::int64_t{1}}));
  }

  /// How far the newest round in flight may be from the oldest.
  static std::int64_t reach(const Schedule& schedule, std::int64_t slots) {
    const bool all_have_slots = slots >= schedule.rounds;
    return all_have_slots ? schedule.reach()
                          : std::min(schedule.reach(), slots - schedule.lookahead);
  }

  Slot& slot(std::int64_t index) {
    Slot& slot = slots_[static_cast<std::size_t>(index) % slots_.size()];
    if (slot.index != index) {
      schedule_.round(rank_, index, slot.round);
      slot.index = index;
    }
    return slot;
  }

  bool may_start() {
    if (started_ == schedule_.rounds || in_flight_ == schedule_.window) return false;
    if (started_ - oldest_ >= reach_) return false;
    return oldest_ == started_ || !slot(started_).round.fence;
  }

  template <Transport T>
  bool post_receives(T& transport, std::int64_t end) {
    for (end = std::min(end, schedule_.rounds); received_ < end; ++received_) {
      Slot& slot = this->slot(received_);
      for (const Step& step : slot.round.steps) {
        if (step.action != Action::receive) continue;
        const int operations = transport.receive(step.target, step.peer, received_);
        if (operations < 0) return false;
        slot.pending += operations;
      }
    }
    return true;
  }

  static bool sends_first(const Round& round) {
    return !round.steps.empty() && round.steps.front().action == Action::send;
  }

  template <Transport T>
  bool start(T& transport) {
    Slot& slot = this->slot(started_);
    if (!sends_first(slot.round) && !post_receives(transport, started_ + 1)) return false;
    for (const Step& step : slot.round.steps) {
      if (step.action == Action::copy && !transport.copy(step.source, step.target)) return false;
      if (step.action == Action::reduce && !transport.reduce(step.source, step.target))
        return false;
    }
    for (const Step& step : slot.round.steps) {
      if (step.action != Action::send) continue;
      const int operations = transport.send(step.source, step.peer, started_);
      if (operations < 0) return false;
      slot.pending += operations;
    }
    ++started_;
    if (!post_receives(transport, started_)) return false;
    if (slot.pending > 0) ++in_flight_;
    return true;
  }

  template <Transport T>
  bool wait(T& transport) {
    completed_.clear();
    if (!transport.wait(completed_)) return false;
    for (const std::int64_t index : completed_) {
      if (--slot(index).pending == 0 && index < started_) --in_flight_;
    }
    retire();
    return true;
  }

  void retire() {
    while (oldest_ < started_ && slot(oldest_).pending == 0) ++oldest_;
  }

  Schedule schedule_;
  int rank_;
  std::vector<Slot> slots_;
  std::int64_t reach_;
  std::vector<std::int64_t> completed_;
  std::int64_t in_flight_ = 0;  // rounds that have started and are not complete
  std::int64_t oldest_ = 0;     // the first round that is not complete
  std::int64_t started_ = 0;    // the first round that has not started
  std::int64_t received_ = 0;   // the first round whose receives are not posted
};

}  // namespace suiro
