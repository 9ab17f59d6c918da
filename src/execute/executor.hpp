// SPDX-License-Identifier: BSD-3-Clause
// Runs one rank's part of a schedule over a transport, after the contract at the top of
// schedule/schedule.hpp. An Executor lives as long as its communicator: it keeps the rank's rounds
// when they are few, and its arrays, so that a second run allocates nothing.
//
// What did not arrive is never handed on. The executor remembers which buffers lack something, and
// from these it sends nothing, so that every rank whose result depends on it learns that it is
// lost, and nobody waits for ever. Whole buffers, not blocks: a loss is rare, and an error anyway.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "execute/transport_concept.hpp"
#include "schedule/schedule.hpp"

namespace suiro {

class Executor {
 public:
  static constexpr std::int64_t kept_rounds_max = 1024;

  /// Keeps up to `kept_rounds` of the rank's rounds for the next run.
  Executor(Schedule schedule, int rank, std::int64_t kept_rounds = kept_rounds_max)
      : schedule_(std::move(schedule)),
        rank_(rank),
        slots_(slot_count(schedule_, kept_rounds)),
        reach_(limited(schedule_.reach())),
        receive_reach_(limited(schedule_.receive_reach())) {}

  const Schedule& schedule() const { return schedule_; }

  /// Runs every round; false after the transport failed.
  template <Transport T>
  bool run(T& transport) {
    restart();
    while (true) {
      if (!advance(transport)) return false;
      if (done()) return true;
      ended_.clear();
      if (!transport.wait(ended_, waits_for_all())) return false;
      for (const Ended& ended : ended_) complete(ended.token, ended.lost);
    }
  }

  /// After a run: something that this rank waited for did not come.
  bool lost() const { return peers_lost_ || std::ranges::find(lost_, true) != lost_.end(); }

  /// What run() is made of, for who plays many ranks at once (model/estimate.hpp).
  void restart() {
    sending_ = receiving_ = started_ = posted_ = in_flight_ = 0;
    for (Slot& slot : slots_) slot.pending[0] = slot.pending[1] = 0;
    lost_.fill(false);
    peers_lost_ = false;
  }

  /// Does all that can be done without waiting; false after the transport failed.
  template <StartingTransport T>
  bool advance(T& transport) {
    retire();
    while (!done()) {
      if (!post_receives(transport, started_ + schedule_.lookahead)) return false;
      if (!may_start()) return true;
      if (!start(transport)) return false;
      retire();
    }
    return true;
  }

  bool done() const { return oldest() >= schedule_.rounds; }

  /// How many rounds have.
  std::int64_t started() const { return started_; }

  /// One operation that was given this token has ended.
  void complete(std::int64_t token, bool lost = false) {
    const std::int64_t index = token / 2;
    Slot& slot = this->slot(index);
    --slot.pending[token % 2];
    if (lost) [[unlikely]]
      lose_receives_of(slot.round);
    if (slot.operations() == 0 && index < started_) --in_flight_;
  }

 private:
  /// Nothing begins before all that is under way has ended.
  bool waits_for_all() const {
    const bool at_end = started_ == schedule_.rounds && posted_ == schedule_.rounds;
    return at_end || (in_flight_ == 1 && schedule_.window == 1 && posted_ == started_);
  }

  /// A round in flight, or kept from an earlier run.
  struct Slot {
    std::int64_t index = -1;
    std::int64_t pending[2] = {0, 0};  // sends, and receives, that have not completed
    Round round;
    std::int64_t operations() const { return pending[0] + pending[1]; }
  };

  // Tokens that transports are given: a round's sends, and its receives.
  static std::int64_t token_of(std::int64_t round, bool receives) {
    return 2 * round + (receives ? 1 : 0);
  }

  static std::size_t slot_count(const Schedule& schedule, std::int64_t kept_rounds) {
    const std::int64_t in_flight =
        std::min(schedule.rounds, schedule.window + schedule.lookahead + 1);
    return static_cast<std::size_t>(
        std::max({in_flight, std::min(schedule.rounds, kept_rounds), std::int64_t{1}}));
  }

  /// How far the newest round in flight may be from the oldest: as the schedule has it, if there
  /// are slots for so many.
  std::int64_t limited(std::int64_t wanted) const {
    const std::int64_t slots = std::ssize(slots_);
    return slots >= schedule_.rounds ? wanted : std::min(wanted, slots - schedule_.lookahead);
  }

  Slot& slot(std::int64_t index) {
    Slot& slot = slots_[static_cast<std::size_t>(index) % slots_.size()];
    if (slot.index != index) {
      schedule_.round(rank_, index, slot.round);
      slot.index = index;
    }
    return slot;
  }

  std::int64_t oldest() const { return std::min(sending_, receiving_); }

  bool may_start() {
    if (started_ == schedule_.rounds || in_flight_ == schedule_.window) return false;
    if (started_ - sending_ >= reach_ || started_ - receiving_ >= receive_reach_) return false;
    return oldest() == started_ || !slot(started_).round.fence;
  }

  template <StartingTransport T>
  bool post_receives(T& transport, std::int64_t end) {
    for (end = std::min(end, schedule_.rounds); posted_ < end; ++posted_) {
      Slot& slot = this->slot(posted_);
      for (const Step& step : slot.round.steps) {
        if (step.action != Action::receive) continue;
        const int operations = transport.receive(step.target, step.peer, token_of(posted_, true));
        if (operations < 0) return false;
        slot.pending[1] += operations;
      }
    }
    return true;
  }

  bool& lost(const Blocks& blocks) { return lost_[static_cast<std::size_t>(blocks.buffer)]; }

  /// What a message is about that has no payload, when it tells of shared blocks.
  static bool tells(const Blocks& blocks) {
    return blocks.count > 0 || blocks.buffer == Buffer::shared;
  }

  /// Any of them: which it was is not known.
  void lose_receives_of(const Round& round) {
    for (const Step& step : round.steps) {
      if (step.action != Action::receive || !tells(step.target)) continue;
      (step.target.count > 0 ? lost(step.target) : peers_lost_) = true;
    }
  }

  void hand_on_loss(const Step& step) {
    if (reads_peer(step) ? peers_lost_ : lost(step.source)) lost(step.target) = true;
  }

  static bool sends_first(const Round& round) {
    return !round.steps.empty() && round.steps.front().action == Action::send;
  }

  template <StartingTransport T>
  bool start(T& transport) {
    Slot& slot = this->slot(started_);
    if (!sends_first(slot.round) && !post_receives(transport, started_ + 1)) return false;
    for (const Step& step : slot.round.steps) {
      if (step.action == Action::copy && !transport.copy(step.source, step.target, step.peer)) {
        return false;
      }
      if (step.action == Action::reduce && !transport.reduce(step.source, step.target, step.peer)) {
        return false;
      }
      if (is_local(step)) hand_on_loss(step);
    }
    for (const Step& step : slot.round.steps) {
      if (step.action != Action::send) continue;
      const std::int64_t token = token_of(started_, false);
      const bool nothing = tells(step.source) && lost(step.source);
      const int operations = nothing ? transport.send_nothing(step.source, step.peer, token)
                                     : transport.send(step.source, step.peer, token);
      if (operations < 0) return false;
      slot.pending[0] += operations;
    }
    ++started_;
    if (!post_receives(transport, started_)) return false;
    if (slot.operations() > 0) ++in_flight_;
    return true;
  }

  void retire() {
    while (sending_ < started_ && slot(sending_).pending[0] == 0) ++sending_;
    while (receiving_ < started_ && slot(receiving_).pending[1] == 0) ++receiving_;
  }

  Schedule schedule_;
  int rank_;
  std::vector<Slot> slots_;
  std::int64_t reach_;
  std::int64_t receive_reach_;
  std::vector<Ended> ended_;
  std::array<bool, buffers> lost_{};  // by Buffer: something of it has not come
  bool peers_lost_ = false;           // something of the shared blocks of others
  std::int64_t in_flight_ = 0;        // rounds that have started and are not complete
  std::int64_t sending_ = 0;          // the first round whose sends are not complete
  std::int64_t receiving_ = 0;        // the first round whose receives are not complete
  std::int64_t started_ = 0;          // the first round that has not started
  std::int64_t posted_ = 0;           // the first round whose receives are not posted
};

}  // namespace suiro
