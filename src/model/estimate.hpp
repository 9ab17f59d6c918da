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
#include <vector>

#include "model/network.hpp"
#include "model/processors.hpp"
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

/// `block_bytes`: of one block of the schedule. `transfers`, if given, gets every message between
/// nodes. Of more than 1024 ranks one node stands for all where all do the same (symmetry.hpp), on
/// a switch that shares ports fairly, unless transfers are asked for. What is not done by `limit_s`
/// is played no further, and takes infinite time. Throws std::invalid_argument
/// when schedule and topology differ in their ranks, and std::runtime_error when the schedule
/// stands still.
Estimate estimate(const Schedule& schedule, const Topology& topology, const Network& network,
                  double block_bytes, std::vector<Transfer>* transfers = nullptr,
                  double limit_s = std::numeric_limits<double>::infinity());

/// Whether one node can stand for all.
bool may_be_played_by_one_node(const Schedule& schedule, const Topology& topology,
                               const Network& network);

/// The same by one node, however few ranks there are. Throws std::invalid_argument where nodes are
/// not seen to be alike, or the switch is of another kind.
Estimate estimate_of_one_node(const Schedule& schedule, const Topology& topology,
                              const Network& network, double block_bytes);

}  // namespace suiro
