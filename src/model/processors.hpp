// SPDX-License-Identifier: BSD-3-Clause
// What processors do: how far the rank on each has come, on what that time went, and how long the
// processor worked. Ranks of a node may have to share fewer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "model/network.hpp"

namespace suiro {

/// Where the time of the rank that is done last went, all the way back to the start. In seconds.
struct Spent {
  double port = 0;        // on links and waiting for them
  double latency = 0;     // on the way
  double messages = 0;    // processor time for messages
  double copies = 0;      // copies and reductions, and messages inside a node
  double repeats = 0;     // until TCP repeats what a switch has lost
  double processors = 0;  // above all that, waiting for processors, which have more to do
  double total() const { return port + latency + messages + copies + repeats + processors; }
};

class Processors {
 public:
  /// `node_of_rank`: counted from 0.
  Processors(const std::vector<int>& node_of_rank, const Network& network);

  double clock(int rank) const { return of(rank).clock; }
  const Spent& spent(int rank) const { return of(rank).spent; }

  void copy(int rank, double seconds) {
    Rank& its = of(rank);
    its.clock += seconds;
    its.spent.copies += seconds;
    work(rank, seconds);
  }

  void message(int rank, double seconds) {
    Rank& its = of(rank);
    its.clock += seconds;
    its.spent.messages += seconds;
    work(rank, seconds);
  }

  /// Beside what the rank waits for: it comes no later.
  void work(int rank, double seconds) {
    Rank& its = of(rank);
    its.worked += seconds;
    const auto node = static_cast<std::size_t>(its.node);
    worked_[node] += seconds;
    least_s_ = std::max({least_s_, its.worked, worked_[node] / processors_[node]});
  }

  /// A rank that waited for this goes on from its time. If there are not enough processors for all,
  /// it looked in vain whenever it had one meanwhile: at a counter, or at all that MPI listens to.
  /// It has one again when the others have looked.
  void catch_up(int rank, double time, const Spent& spent, bool signal = false) {
    Rank& its = of(rank);
    if (its.clock >= time) return;
    its.clock = time;
    its.spent = spent;
    const double turn_s = turn_s_[static_cast<std::size_t>(its.node)];
    if (turn_s == 0) return;
    its.clock += turn_s;
    its.spent.latency += turn_s;
    work(rank, looks_in_vain * (switch_s + (signal ? 0 : poll_s)));
  }

  /// No schedule is done before the busiest rank, or node, has done its work.
  double least_s() const { return least_s_; }
  /// Of all nodes.
  double worked_s() const { return std::accumulate(worked_.begin(), worked_.end(), 0.0); }

 private:
  static constexpr double looks_in_vain = 2;
  static constexpr double switch_s = 1.5e-6;  // sched_yield(2), to another process
  static constexpr double poll_s = 3.5e-6;    // poll(2) of some sockets, and what MPIs do about it

  struct Rank {
    int node = 0;
    double clock = 0;
    Spent spent = {};  // adds up to the clock
    double worked = 0;
  };
  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<Rank> ranks_;
  std::vector<double> worked_;      // in all, by node
  std::vector<double> processors_;  // by node
  std::vector<double> turn_s_;      // by node; 0: there are enough
  double least_s_ = 0;
};

}  // namespace suiro
