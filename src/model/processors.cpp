// SPDX-License-Identifier: BSD-3-Clause
#include "model/processors.hpp"

#include <algorithm>

namespace suiro {

Processors::Processors(const std::vector<int>& node_of_rank, const Network& network) {
  std::vector<double> on_node;
  for (const int node : node_of_rank) {
    ranks_.push_back({.node = node});
    const auto place = static_cast<std::size_t>(node);
    if (place >= on_node.size()) on_node.resize(place + 1);
    ++on_node[place];
  }
  worked_.resize(on_node.size());
  for (const double ranks : on_node) {
    const bool crowded = network.processors > 0 && network.processors < ranks;
    processors_.push_back(crowded ? network.processors : ranks);
    const double others = ranks / processors_.back() - 1;
    turn_s_.push_back(crowded ? others * (switch_s + poll_s) : 0);
  }
}

}  // namespace suiro
