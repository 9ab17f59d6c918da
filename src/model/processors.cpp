// SPDX-License-Identifier: BSD-3-Clause
#include "model/processors.hpp"

#include <algorithm>

namespace suiro {

Processors::Processors(const std::vector<int>& node_of_rank, const Network& network) {
  for (const int node : node_of_rank) {
    ranks_.push_back({.node = node});
    const auto place = static_cast<std::size_t>(node);
    if (place >= ranks_on_.size()) ranks_on_.resize(place + 1);
    ++ranks_on_[place];
  }
  worked_.resize(ranks_on_.size());
  listening_.resize(ranks_on_.size());
  for (const double ranks : ranks_on_) {
    processors_.push_back(network.processors > 0 ? std::min(network.processors, ranks) : ranks);
  }
}

}  // namespace suiro
