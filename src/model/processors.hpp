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

  /// The rank listens to MPI from now on, as messages are to come.
  void listens(int rank) {
    Rank& its = of(rank);
    if (its.listens) return;
    its.listens = true;
    ++listening_[static_cast<std::size_t>(its.node)];
  }

  /// A rank that waited for this goes on from its time. If there are not enough processors for all,
  /// it looked in vain whenever it had one meanwhile, at all that MPI listens to, and has one again
  /// when the others that do so have looked.
  void catch_up(int rank, double time, const Spent& spent) {
    if (waits_until(rank, time, spent)) {
      has_to_wait(rank, others_s(listening_, rank, switch_s + poll_s));
      work(rank, looks_in_vain * (switch_s + poll_s));
    }
  }

  /// The same by a signal: while it waits for one, a rank sleeps, and `by` wakes it. It has a
  /// processor when others have done what they were woken for.
  void wake(int rank, int by, double time, const Spent& spent) {
    if (waits_until(rank, time, spent)) {
      has_to_wait(rank, others_s(ranks_on_, rank, switch_s));
      work(rank, switch_s);
      work(by, switch_s);
    }
  }

  /// No schedule is done before the busiest rank, or node, has done its work.
  double least_s() const { return least_s_; }
  /// Of all nodes.
  double worked_s() const { return std::accumulate(worked_.begin(), worked_.end(), 0.0); }

 private:
  static constexpr double looks_in_vain = 2;
  static constexpr double switch_s = 1.5e-6;  // sched_yield(2), futex(2): to another process
  static constexpr double poll_s = 3.5e-6;    // poll(2) of some sockets, and what MPIs do about it

  struct Rank {
    int node = 0;
    double clock = 0;
    Spent spent = {};  // adds up to the clock
    double worked = 0;
    bool listens = false;
  };
  /// On a node with fewer processors than ranks.
  bool waits_until(int rank, double time, const Spent& spent) {
    Rank& its = of(rank);
    if (its.clock >= time) return false;
    its.clock = time;
    its.spent = spent;
    const auto node = static_cast<std::size_t>(its.node);
    return processors_[node] < ranks_on_[node];
  }
  void has_to_wait(int rank, double seconds) {
    of(rank).clock += seconds;
    of(rank).spent.latency += seconds;
  }
  /// Each of the others on its processor takes so long.
  double others_s(const std::vector<double>& ranks_by_node, int rank, double of_one_s) const {
    const auto node = static_cast<std::size_t>(of(rank).node);
    return std::max(0.0, ranks_by_node[node] / processors_[node] - 1) * of_one_s;
  }
  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<Rank> ranks_;
  std::vector<double> worked_;      // in all, by node
  std::vector<double> processors_;  // by node
  std::vector<double> ranks_on_;    // by node
  std::vector<double> listening_;   // ranks, by node
  double least_s_ = 0;
};

}  // namespace suiro
