// SPDX-License-Identifier: BSD-3-Clause
// How long a schedule takes on a network. There is no second description of any algorithm: the
// schedule itself is played, by the executor that runs it, against a clock. A message takes
// processor time of both ends, and between nodes it goes on a stream of its two ranks, one after
// the other; active streams share links max-min fairly. A long message asks first, and question and
// answer are messages on these streams, so that an answer waits behind data. Where the ranks of a
// node share fewer processors, no schedule ends before these have done the work of all.
//
// Left out: packets, TCP's slow start, and noise.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "execute/executor.hpp"
#include "model/network.hpp"
#include "model/processors.hpp"
#include "model/symmetry.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// A message between two nodes, for pictures.
struct Transfer {
  int sender = 0;
  int receiver = 0;
  double bytes = 0;
  double posted_s = 0;
  double begin_s = 0;
  double end_s = 0;
};

struct Estimate {
  double seconds = 0;   // until the last rank is done, from all of them together
  double mean_s = 0;    // until a rank is done, in the mean: what OSU's programs print
  double worked_s = 0;  // of processors, of all nodes together
  Spent spent = {};
  std::int64_t messages = 0;  // between nodes, questions and answers not counted
  int played_ranks = 0;       // that stand for all
  Ports ports = Ports::flooded;
};

class Play;

/// Plays one schedule on one network after the other. Refers to schedule and topology.
class Player {
 public:
  /// Throws std::invalid_argument when they differ in their ranks.
  Player(const Schedule& schedule, const Topology& topology);
  ~Player();

  /// `block_bytes`: of one block of the schedule. What is not done by `limit_s` is played no
  /// further, and takes infinite time. `transfers`, if given, gets every message between nodes. Of
  /// more than 1024 ranks one node stands for all where all do the same (symmetry.hpp), on a switch
  /// that shares ports fairly, unless transfers are asked for.
  void begin(const Network& network, double block_bytes,
             double limit_s = std::numeric_limits<double>::infinity(),
             std::vector<Transfer>* transfers = nullptr);

  /// The same by one node, however few ranks there are. Throws std::invalid_argument where nodes
  /// are not seen to be alike, or the switch is of another kind.
  void begin_one_node(const Network& network, double block_bytes);

  bool is_playing() const { return play_ != nullptr; }

  /// For some `moves` more, from which those are taken that it took; nothing if it is not over
  /// then. Throws std::runtime_error when the schedule stands still.
  std::optional<Estimate> advance(std::int64_t& moves);

  /// To its end.
  Estimate end();

 private:
  void begin(const Network& network, double block_bytes, double limit_s,
             std::vector<Transfer>* transfers, std::optional<Symmetry> symmetry);

  const Schedule& schedule_;
  const Topology& topology_;
  std::vector<Executor> executors_;  // keep their rounds
  std::unique_ptr<Play> play_;
};

/// Played once.
Estimate estimate(const Schedule& schedule, const Topology& topology, const Network& network,
                  double block_bytes, std::vector<Transfer>* transfers = nullptr);

/// Whether one node can stand for all.
bool may_be_played_by_one_node(const Schedule& schedule, const Topology& topology,
                               const Network& network);

}  // namespace suiro
