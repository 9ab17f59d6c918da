// SPDX-License-Identifier: BSD-3-Clause
#include "model/fair_shares.hpp"

#include <algorithm>
#include <limits>

#include "model/blocking.hpp"

namespace suiro {

namespace {
constexpr double alike = 1 + 1e-9;  // limits this close together are reached together
}

FairShares::FairShares(const Topology& topology, const Network& network)
    : topology_(topology), network_(network), pairs_into_(index(topology.nodes())) {
  const int sites = topology.sites();
  limits_.resize(index((2 * topology.nodes()) + (sites > 1 ? sites * sites : 0)));
}

int FairShares::pair(int source_node, int target_node) {
  const int nodes = topology_.nodes();
  const std::uint64_t key =
      (static_cast<std::uint64_t>(source_node) << 32) | static_cast<std::uint32_t>(target_node);
  const auto [found, fresh] = pair_of_nodes_.try_emplace(key, static_cast<int>(streams_.size()));
  if (!fresh) return found->second;
  const int from = topology_.site(source_node);
  const int to = topology_.site(target_node);
  const int wan = from == to ? -1 : (2 * nodes) + (from * topology_.sites()) + to;
  streams_.push_back(0);
  rates_.push_back(0);
  limits_of_pair_.push_back({source_node, nodes + target_node, wan});
  nodes_of_pair_.push_back({source_node, target_node});
  pairs_into_[index(target_node)].push_back(found->second);
  return found->second;
}

FairShares::Incast FairShares::incast(int pair) const {
  const int target = nodes_of_pair_[index(pair)][1];
  Incast incast;
  for (const int other : pairs_into_[index(target)]) {
    if (streams_[index(other)] == 0) continue;
    incast.streams += streams_[index(other)];
    ++incast.nodes;
  }
  return incast;
}

void FairShares::fix(std::size_t pair, double rate) {
  rates_[pair] = rate;
  for (const int number : limits_of_pair_[pair]) {
    if (number < 0) continue;
    Limit& limit = limits_[index(number)];
    limit.left = std::max(0.0, limit.left - rate * streams_[pair]);
    limit.streams -= streams_[pair];
  }
}

/// What the heads of queues lose makes a node's link that much slower.
void FairShares::block_heads() {
  const auto nodes = index(topology_.nodes());
  std::vector<double> share(nodes * nodes, 0.0);
  std::vector<double> busy(nodes, 0.0);
  for (std::size_t pair = 0; pair < streams_.size(); ++pair) {
    const auto [source, target] = nodes_of_pair_[pair];
    const int leaving = limits_[index(source)].streams;
    if (streams_[pair] == 0 || leaving == 0) continue;
    share[(index(source) * nodes) + index(target)] = static_cast<double>(streams_[pair]) / leaving;
    busy[index(source)] = 1;
  }
  const std::vector<double> served = served_heads(share, busy);
  for (std::size_t node = 0; node < nodes; ++node) limits_[node].left *= served[node];
}

void FairShares::share_out() {
  stale_ = false;
  unfixed_.clear();
  const auto nodes = index(topology_.nodes());
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    limits_[i] = {i < 2 * nodes ? network_.link_Bps : network_.wan.Bps, 0};
    if (i < 2 * nodes) limits_[i].left *= topology_.links(static_cast<int>(i % nodes));
  }
  for (std::size_t pair = 0; pair < streams_.size(); ++pair) {
    if (streams_[pair] == 0) continue;
    unfixed_.push_back(static_cast<int>(pair));
    for (const int limit : limits_of_pair_[pair]) {
      if (limit >= 0) limits_[index(limit)].streams += streams_[pair];
    }
  }
  if (network_.kind == SwitchKind::hol || network_.kind == SwitchKind::pause) block_heads();
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const double near_Bps = network_.stream_Bps > 0 ? network_.stream_Bps : unlimited;
  const double window_Bps =
      network_.wan.latency_s > 0 ? network_.wan.window / (2 * network_.wan.latency_s) : unlimited;
  const double far_Bps = std::min(near_Bps, window_Bps);
  // What a stream of the pair may have, whatever the links have left.
  const auto held_to = [&](int pair) {
    return limits_of_pair_[index(pair)][2] >= 0 ? far_Bps : near_Bps;
  };
  const auto rate_of = [&](const Limit& limit) { return limit.left / limit.streams; };
  while (!unfixed_.empty()) {
    double least = unlimited;
    for (const Limit& limit : limits_) {
      if (limit.streams > 0) least = std::min(least, rate_of(limit));
    }
    // A stream that is held below that is no rival for the rest.
    double rate = least;
    for (const int pair : unfixed_) rate = std::min(rate, held_to(pair));
    const bool held = rate < least;
    std::vector<char> full(limits_.size());
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      full[i] = static_cast<char>(limits_[i].streams > 0 && rate_of(limits_[i]) <= least * alike);
    }
    std::erase_if(unfixed_, [&](int pair) {
      const auto& limits = limits_of_pair_[index(pair)];
      const bool reached =
          held ? held_to(pair) <= rate
               : std::ranges::any_of(limits, [&](int l) { return l >= 0 && full[index(l)]; });
      if (reached) fix(index(pair), rate);
      return reached;
    });
  }
}

}  // namespace suiro
