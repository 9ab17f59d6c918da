// SPDX-License-Identifier: BSD-3-Clause
// What a schedule loses to head-of-line blocking in one input-queued switch with one port per node.
//
// The paper's model: while every node sends the share alpha of its packets to one target node and
// 1 - alpha to another, a packet at the head of its input finds its output taken with the blocked
// ratio alpha (1 - alpha), so the round takes Ta = 1 / (1 - alpha (1 - alpha)) times as long. At
// step i of Ring with Nlp ranks per node, alpha = 1 - (i mod Nlp) / Nlp.
//
// Our reading, for any schedule: the head of node n's input is for target t with the share of n's
// leaving blocks that go to t. Every other node's head is for t with the probability that is its
// blocks for t over the leaving blocks of the busiest node. Of the k nodes that want t at once each
// is served with probability 1/k; the blocked ratio is what remains: alpha (1 - alpha) in the
// above. Blocks that stay on the node neither take time nor count in the shares. So Ring takes 1.13
// times as long as 2-Level Ring on 4 nodes x 4 ranks, 1.17 times on 8 x 4, 1.20 times on 24 x 8.
//
// The model has no memory: a head that lost draws its target again. So a uniform mix of targets
// loses a little less in it than in a real switch (Karol's 58.6 % against 63.2 % for very many
// ports); for two targets they agree.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// Rounds that may be in flight together. Times are in the time that one block takes on one link.
struct Phase {
  std::int64_t first_round = 0;
  std::int64_t rounds = 0;
  std::int64_t leaving_blocks = 0;  // of the node that sends most to other nodes
  double time_blocks = 0;           // leaving_blocks if nothing is blocked
  friend bool operator==(const Phase&, const Phase&) = default;
};

/// The phases of a schedule, in order: each has at most `window` rounds; a fence begins a new one.
/// Throws std::invalid_argument when schedule and topology differ in their ranks.
std::vector<Phase> head_of_line_phases(const Schedule& schedule, const Topology& topology);

/// The sum over the phases, in block times.
double total_time_blocks(const std::vector<Phase>& phases);

}  // namespace suiro
