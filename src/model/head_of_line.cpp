// SPDX-License-Identifier: BSD-3-Clause
// Counts the blocks that each node sends to each other node in a phase, and lets their packets meet
// in the switch.
#include "model/head_of_line.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace suiro {
namespace {

/// Blocks from node to node; what stays on a node is not counted.
class Traffic {
 public:
  explicit Traffic(const Topology& topology)
      : topology_(topology), nodes_(topology.nodes()), blocks_(square(topology.nodes())) {}

  void clear() { std::ranges::fill(blocks_, 0); }

  void add(const Step& step, int rank) {
    if (step.action != Action::send) return;
    const int source = topology_.node(rank);
    const int target = topology_.node(step.peer);
    if (source != target) at(source, target) += step.source.count;
  }

  int nodes() const { return nodes_; }
  std::int64_t between(int source, int target) const { return blocks_[index(source, target)]; }

  std::int64_t leaving(int source) const {
    const auto row = blocks_.begin() + static_cast<std::ptrdiff_t>(index(source, 0));
    return std::accumulate(row, row + nodes_, std::int64_t{0});
  }

  std::int64_t busiest() const {
    std::int64_t blocks = 0;
    for (int node = 0; node < nodes_; ++node) blocks = std::max(blocks, leaving(node));
    return blocks;
  }

  std::int64_t entering(int target) const {
    std::int64_t blocks = 0;
    for (int source = 0; source < nodes_; ++source) blocks += between(source, target);
    return blocks;
  }

 private:
  static std::size_t square(int side) {
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  }
  std::size_t index(int source, int target) const {
    return static_cast<std::size_t>(source) * static_cast<std::size_t>(nodes_) +
           static_cast<std::size_t>(target);
  }
  std::int64_t& at(int source, int target) { return blocks_[index(source, target)]; }

  const Topology& topology_;
  int nodes_;
  std::vector<std::int64_t> blocks_;
};

/// The probability that `source` is served when its head is for `target`: the mean of 1 / (1 +
/// rivals), where each other node is a rival with its own probability. `rivals` is storage: [k] is
/// the probability that there are k of them.
double served(const Traffic& traffic, int source, int target, double busiest,
              std::vector<double>& rivals) {
  rivals.assign(1, 1.0);
  for (int other = 0; other < traffic.nodes(); ++other) {
    const std::int64_t blocks = other == source ? 0 : traffic.between(other, target);
    if (blocks == 0) continue;
    const double present = static_cast<double>(blocks) / busiest;
    rivals.push_back(0);
    for (std::size_t k = rivals.size() - 1; k > 0; --k) {
      rivals[k] += (rivals[k - 1] - rivals[k]) * present;
    }
    rivals[0] *= 1 - present;
  }
  double mean = 0;
  for (std::size_t k = 0; k < rivals.size(); ++k) {
    mean += rivals[k] / (1 + static_cast<double>(k));
  }
  return mean;
}

/// 1 - the blocked ratio of `source`, over all its packets.
double served(const Traffic& traffic, int source, double busiest, std::vector<double>& rivals) {
  const auto leaving = static_cast<double>(traffic.leaving(source));
  double mean = 0;
  for (int target = 0; target < traffic.nodes(); ++target) {
    const std::int64_t blocks = traffic.between(source, target);
    if (blocks == 0) continue;
    const double share = static_cast<double>(blocks) / leaving;
    mean += share * served(traffic, source, target, busiest, rivals);
  }
  return mean;
}

/// The slowest node decides; and no output is faster than its link, which the model alone may
/// forget when nodes differ.
double time_blocks(const Traffic& traffic, std::vector<double>& rivals) {
  const auto busiest = static_cast<double>(traffic.busiest());
  double time = 0;
  for (int node = 0; node < traffic.nodes(); ++node) {
    const auto leaving = static_cast<double>(traffic.leaving(node));
    if (leaving > 0) time = std::max(time, leaving / served(traffic, node, busiest, rivals));
    time = std::max(time, static_cast<double>(traffic.entering(node)));
  }
  return time;
}

/// Reads the round of every rank; returns whether any of them has a fence.
bool read_round(const Schedule& schedule, std::int64_t index, std::vector<Round>& rounds) {
  bool fence = false;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    Round& round = rounds[static_cast<std::size_t>(rank)];
    schedule.round(rank, index, round);
    fence = fence || round.fence;
  }
  return fence;
}

}  // namespace

std::vector<Phase> head_of_line_phases(const Schedule& schedule, const Topology& topology) {
  if (schedule.ranks != topology.ranks()) {
    throw std::invalid_argument("the schedule is for " + std::to_string(schedule.ranks) +
                                " ranks, the topology has " + std::to_string(topology.ranks()));
  }
  std::vector<Phase> phases;
  std::vector<Round> rounds(static_cast<std::size_t>(schedule.ranks));
  std::vector<double> rivals;
  Traffic traffic(topology);
  const auto close = [&] {
    phases.back().leaving_blocks = traffic.busiest();
    phases.back().time_blocks = time_blocks(traffic, rivals);
    traffic.clear();
  };
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    const bool fence = read_round(schedule, index, rounds);
    if (phases.empty() || fence || phases.back().rounds == schedule.window) {
      if (!phases.empty()) close();
      phases.push_back({index, 0, 0, 0});
    }
    ++phases.back().rounds;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      for (const Step& step : rounds[static_cast<std::size_t>(rank)].steps) traffic.add(step, rank);
    }
  }
  if (!phases.empty()) close();
  return phases;
}

double total_time_blocks(const std::vector<Phase>& phases) {
  return std::accumulate(phases.begin(), phases.end(), 0.0,
                         [](double sum, const Phase& phase) { return sum + phase.time_blocks; });
}

}  // namespace suiro
