// SPDX-License-Identifier: BSD-3-Clause
#include "model/symmetry.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace suiro {

namespace {

constexpr std::int64_t rounds_looked_at = 64;
constexpr int nodes_looked_at = 8;

bool in_blocks(const Topology& topology) {
  const int ppn = topology.ppn(0);
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    if (topology.node(rank) != rank / ppn) return false;
  }
  for (int node = 1; node < topology.nodes(); ++node) {
    if (topology.links(node) != topology.links(0)) return false;
  }
  return true;
}

bool works(const Step& step) {
  return step.action == Action::copy || step.action == Action::reduce;
}

/// Blocks that are copied, and that are reduced.
std::array<std::int64_t, 2> worked_on(const Round& round) {
  std::array<std::int64_t, 2> blocks{};
  for (const Step& step : round.steps) {
    if (works(step)) blocks[step.action == Action::reduce ? 1 : 0] += step.source.count;
  }
  return blocks;
}

/// So many of `all`, the first, the last and some between.
std::int64_t spread(std::int64_t i, std::int64_t count, std::int64_t all) {
  return count < 2 ? 0 : i * (all - 1) / (count - 1);
}

}  // namespace

std::optional<Symmetry> Symmetry::of(const Schedule& schedule, const Topology& topology) {
  const bool alike = topology.even() && topology.sites() == 1 && in_blocks(topology);
  if (!alike || topology.nodes() < 2) return std::nullopt;
  const int nodes = topology.nodes();
  for (const Kind kind : {Kind::turned, Kind::exchanged}) {
    if (kind == Kind::exchanged && !std::has_single_bit(static_cast<unsigned>(nodes))) continue;
    const Symmetry symmetry(kind, nodes, topology.ppn(0));
    if (symmetry.holds(schedule)) return symmetry;
  }
  return std::nullopt;
}

int Symmetry::moved(int rank, int node) const {
  const int from = rank / ppn_;
  const int to = kind_ == Kind::turned ? (from + node) % nodes_ : from ^ node;
  return (to * ppn_) + (rank % ppn_);
}

/// What the receiver's node is moved by to become the first moves the sender from the first node.
Symmetry::Image Symmetry::image(int sender, int receiver) const {
  const int node = receiver / ppn_;
  const int back = kind_ == Kind::turned ? (nodes_ - node) % nodes_ : node;
  return {.sender = moved(sender, back), .receiver = receiver % ppn_};
}

/// Whether a rank of the first node and its like on another do the same in a round. Blocks may be
/// others, and what is copied or reduced in several steps or in one.
bool Symmetry::alike(const Schedule& schedule, std::int64_t round, int local, int node) const {
  Round here;
  Round there;
  schedule.round(local, round, here);
  schedule.round(moved(local, node), round, there);
  if (here.fence != there.fence || worked_on(here) != worked_on(there)) return false;
  for (Round* each : {&here, &there}) std::erase_if(each->steps, works);
  return std::ranges::equal(here.steps, there.steps, [&](const Step& mine, const Step& its) {
    return mine.action == its.action && mine.source.count == its.source.count &&
           mine.target.count == its.target.count && moved(mine.peer, node) == its.peer;
  });
}

bool Symmetry::holds(const Schedule& schedule) const {
  const std::int64_t rounds = std::min(rounds_looked_at, schedule.rounds);
  const int others = std::min(nodes_looked_at, nodes_ - 1);
  for (std::int64_t i = 0; i < rounds; ++i) {
    const std::int64_t round = spread(i, rounds, schedule.rounds);
    for (int local = 0; local < ppn_; ++local) {
      for (int j = 0; j < others; ++j) {
        const auto node = static_cast<int>(1 + spread(j, others, nodes_ - 1));
        if (!alike(schedule, round, local, node)) return false;
      }
    }
  }
  return true;
}

Topology first_and_other(const Topology& topology) {
  const std::array nodes = {0, 1};
  const std::array links = {topology.links(0), topology.links(0)};
  return Topology::from_nodes(nodes, {}, links);
}

}  // namespace suiro
