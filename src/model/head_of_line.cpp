// SPDX-License-Identifier: BSD-3-Clause
// Counts the blocks that each node sends to each other node in a phase, and lets their packets meet
// in the switch.
#include "model/head_of_line.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "model/blocking.hpp"

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

/// The slowest node decides; and no output is faster than its link, which the model alone may
/// forget when nodes differ.
double time_blocks(const Traffic& traffic) {
  const auto nodes = static_cast<std::size_t>(traffic.nodes());
  const auto busiest = static_cast<double>(traffic.busiest());
  std::vector<double> share(nodes * nodes);
  std::vector<double> busy(nodes);
  for (int source = 0; source < traffic.nodes(); ++source) {
    const auto leaving = static_cast<double>(traffic.leaving(source));
    if (leaving == 0) continue;
    const auto row = static_cast<std::size_t>(source);
    busy[row] = leaving / busiest;
    for (int target = 0; target < traffic.nodes(); ++target) {
      share[row * nodes + static_cast<std::size_t>(target)] =
          static_cast<double>(traffic.between(source, target)) / leaving;
    }
  }
  const std::vector<double> served = served_heads(share, busy);
  double time = 0;
  for (int node = 0; node < traffic.nodes(); ++node) {
    const auto leaving = static_cast<double>(traffic.leaving(node));
    time = std::max(time, leaving / served[static_cast<std::size_t>(node)]);
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
  Traffic traffic(topology);
  const auto close = [&] {
    phases.back().leaving_blocks = traffic.busiest();
    phases.back().time_blocks = time_blocks(traffic);
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
