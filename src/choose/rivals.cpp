// SPDX-License-Identifier: BSD-3-Clause
#include "choose/rivals.hpp"

#include <algorithm>
#include <string_view>

#include "choose/margins.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

/// What its busiest link carries takes less time than native on some network.
bool may_win(const Stage& stage, const std::vector<Foretold>& native, const Algorithm& algorithm) {
  if (algorithm.cost == nullptr || stage.collective.cut()) return true;
  const Cost cost = algorithm.cost(stage.topology, complete(algorithm, {}));
  const double bytes = static_cast<double>(cost.wire_blocks) * static_cast<double>(stage.bytes);
  for (std::size_t i = 0; i < stage.networks.size(); ++i) {
    if (bytes / stage.networks[i].link_Bps > native[i].seconds) return false;
  }
  return true;
}

bool joins_in_vain(const Stage& stage, const Algorithm& algorithm) {
  if (!joins(stage.collective, algorithm)) return false;
  const double bytes = static_cast<double>(stage.bytes);
  return std::ranges::all_of(stage.networks, [&](const Network& network) {
    return 2 * network.message_s < margins.starts_least * bytes / network.link_Bps;
  });
}

}  // namespace

bool joins(const Collective& collective, const Algorithm& algorithm) {
  return collective.bytes == Measure::per_pair && !declares(algorithm, Property::direct);
}

std::vector<Candidate> rivals(const Stage& stage, const std::vector<Foretold>& native) {
  std::vector<Candidate> found;
  for (const std::string_view name : candidate_names(stage.collective.name)) {
    const Algorithm* algorithm = find_candidate(stage.collective.name, name);
    if (algorithm == nullptr || !may_win(stage, native, *algorithm)) continue;
    if (joins_in_vain(stage, *algorithm)) continue;
    if (algorithm->for_sites && stage.topology.sites() == 1) continue;
    if (algorithm->in_shared_memory && !stage.surroundings.node_memory) continue;
    const std::size_t first = found.size();
    found.push_back({algorithm, {}});
    for (const ParameterSpec& spec : algorithm->parameters) {
      const std::size_t end = found.size();
      for (const std::int64_t value : spec.others) {
        for (std::size_t i = first; i < end; ++i) {
          found.push_back(found[i]);
          found.back().parameters.emplace(spec.name, value);
        }
      }
    }
  }
  return found;
}

}  // namespace suiro
