// SPDX-License-Identifier: BSD-3-Clause
// Starts and completes rounds after the contract, on all ranks, until nothing moves.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/program.hpp"

namespace suiro {

/// What happens on the way.
class ProgressEvents {
 public:
  virtual ~ProgressEvents() = default;
  /// The round of the step starts; copies are done at once, in the order given.
  virtual void started(const Operation& operation) = 0;
  /// A send and its receive are both posted: the message moves and both are complete.
  virtual void matched(const Operation& send, const Operation& receive) = 0;
};

class Progress {
 public:
  Progress(const Program& program, ProgressEvents& events);

  /// True when every rank has completed every round. Unmatched operations count as complete: they
  /// are reported by check_matching, and the rest is still worth running.
  bool run();

  /// After run() returned false: the cycle of ranks that wait for each other.
  void report_deadlock(Findings& findings) const;

 private:
  struct RankState {
    std::int64_t sending = 0;    // the first round whose sends are not complete
    std::int64_t receiving = 0;  // the first round whose receives are not complete
    std::int64_t started = 0;    // the first round that has not started
    bool queued = false;
  };

  bool may_start(int rank) const;
  void start_round(int rank);
  void post(std::int64_t operation);
  void complete(std::int64_t operation);
  void wake(int rank);
  std::int64_t& pending(int rank, std::int64_t round, Action action);
  std::int64_t oldest(int rank) const;
  std::int64_t first_blocked(int rank) const;

  const Program& program_;
  ProgressEvents& events_;
  std::vector<RankState> ranks_;
  // Per rank and round: sends that are not complete, and receives.
  std::vector<std::int64_t> pending_sends_;
  std::vector<std::int64_t> pending_receives_;
  std::vector<bool> posted_;    // per operation
  std::vector<bool> complete_;  // per operation
  std::vector<int> runnable_;
};

}  // namespace suiro
