// SPDX-License-Identifier: BSD-3-Clause
// The rounds of all ranks, produced once and shared by the checks, and the list that the checks
// write to.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/collectives.hpp"
#include "schedule/schedule.hpp"
#include "verify/verify.hpp"

namespace suiro {

/// One step and where it stands. Sends and receives that match point at each other.
struct Operation {
  int rank = 0;
  std::int64_t round = 0;
  Step step;
  std::int64_t match = -1;  // index of the other operation; -1 for local steps and unmatched ones
};

class Program {
 public:
  /// In place, a rank that has both buffers has one: what it sends is in its receive buffer.
  Program(const Schedule& schedule, const Collective& collective, Placing placing);

  const Schedule& schedule() const { return schedule_; }
  const Collective& collective() const { return collective_; }
  const Instance& instance() const { return instance_; }
  std::int64_t blocks(int rank, Buffer buffer) const;
  /// The most of any rank.
  std::int64_t blocks(Buffer buffer) const;
  bool in_place(int rank) const;

  std::vector<Operation>& operations() { return operations_; }
  const std::vector<Operation>& operations() const { return operations_; }

  /// The operations of a round of a rank: indices from first to second.
  std::pair<std::int64_t, std::int64_t> range(int rank, std::int64_t round) const;
  bool fence(int rank, std::int64_t round) const { return fences_[slot(rank, round)]; }

 private:
  std::size_t slot(int rank, std::int64_t round) const {
    return static_cast<std::size_t>(rank) * schedule_.rounds + round;
  }

  const Schedule& schedule_;
  const Collective& collective_;
  Instance instance_;
  Placing placing_;
  std::vector<Operation> operations_;  // by rank, then by round, then in the order given
  std::vector<std::int64_t> ends_;     // per rank and round: the index after its last operation
  std::vector<bool> fences_;
};

/// The violations found so far; those beyond the limit are dropped.
class Findings {
 public:
  bool full() const { return list_.size() >= VerifyLimits::violations; }
  bool empty() const { return list_.empty(); }
  void add(int rank, std::int64_t round, std::int64_t block, std::string text) {
    if (!full()) list_.push_back({rank, round, block, std::move(text)});
  }
  std::vector<Violation> take() { return std::move(list_); }

 private:
  std::vector<Violation> list_;
};

/// "send[3]", "receive[2 x 4]".
std::string text_of(const Blocks& blocks);
/// "receive[3]".
std::string text_of(Buffer buffer, std::int64_t block);
/// "send of send[3] to rank 1".
std::string text_of(const Step& step);

/// Each check adds what it finds. They run in this order; the later ones rely on the earlier ones.
void check_steps(const Program& program, Findings& findings);  // ranges, peers, counts, read only
void check_matching(Program& program, Findings& findings);     // sets Operation::match
void check_races(const Program& program, Findings& findings);
void check_shared(const Program& program, Findings& findings);    // reads of other ranks' blocks
void check_delivery(const Program& program, Findings& findings);  // deadlock and postcondition
void check_arrival(const Program& program, Findings& findings);   // of a barrier

}  // namespace suiro
