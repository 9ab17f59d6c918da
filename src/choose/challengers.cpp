// SPDX-License-Identifier: BSD-3-Clause
#include "choose/challengers.hpp"

#include <algorithm>
#include <cstddef>

#include "choose/margins.hpp"
#include "choose/shown.hpp"
#include "choose/trial.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

/// Seconds of one over those of the other, multiplied over all networks: of what is far from the
/// other on one of these that alone does not decide. For each value that is not the usual one it is
/// to be faster by the model's doubt.
double times_slower(const Rival& one, const Rival& other) {
  const auto departures = [](const Rival& its) {
    return static_cast<int>(its.decision.parameters.size());
  };
  double product = 1;
  for (std::size_t i = 0; i < one.seconds.size(); ++i) {
    const double ratio = one.seconds[i] / other.seconds[i];
    product *= std::clamp(ratio, 1 / margins.gain_max, margins.gain_max);
    for (int more = departures(one); more > departures(other); --more) product *= margins.departing;
    for (int less = departures(one); less < departures(other); ++less) product /= margins.departing;
  }
  return product;
}

double most_times_slower(const Rival& one, const Rival& champion) {
  double most = 0;
  for (std::size_t i = 0; i < one.seconds.size(); ++i)
    most = std::max(most, one.seconds[i] / champion.seconds[i]);
  return most;
}

/// Messages are cut for the rate of links.
bool cuts_for_links(const Collective& collective, const Decision& decision) {
  const Algorithm* const algorithm = find_candidate(collective.name, decision.algorithm);
  if (algorithm == nullptr) return false;
  const Parameters its = complete(*algorithm, decision.parameters);
  const auto segment = its.find(segment_parameter);
  return segment != its.end() && segment->second == 0;
}

}  // namespace

/// What runs between sites was given the way's flows, too, when it was chosen. Usual values may be
/// spelled out.
bool has_same_values(const Collective& collective, const Decision& foretold,
                     const Decision& other) {
  if (foretold.algorithm != other.algorithm) return false;
  const Algorithm* const algorithm = find_candidate(collective.name, other.algorithm);
  if (algorithm == nullptr) return foretold.parameters == other.parameters;
  Parameters its = other.parameters;
  if (!foretold.parameters.contains(wan_flows_parameter))
    its.erase(std::string(wan_flows_parameter));
  return complete(*algorithm, foretold.parameters) == complete(*algorithm, its);
}

bool is_same(const Collective& collective, const Link& link, const Decision& foretold,
             const Decision& other) {
  const double its_Bps = with_rate(link, foretold.link_Bps).Bps;
  const double other_Bps = with_rate(link, other.link_Bps).Bps;
  return has_same_values(collective, foretold, other) &&
         (is_near(its_Bps, other_Bps) || !cuts_for_links(collective, other));
}

int calls_before_trial(double slower) {
  constexpr double calls_max = 1e9;
  const double loss = Trial::risky_calls * std::max(0.0, slower - 1);
  return static_cast<int>(std::min(loss / margins.regret_share, calls_max));
}

std::optional<Decision> challenger_of(const Rival* champion, const std::vector<Rival>& rivals,
                                      double may_lose,
                                      const std::function<bool(const Decision&)>& may_run) {
  const auto calls_before = [&](const Rival& one) {
    if (champion == nullptr) return one.decision.tried_after;
    return calls_before_trial(most_times_slower(one, *champion));
  };
  const auto waits = [&](const Rival& one) {
    return margins.regret_share * calls_before(one) > std::max(may_lose, 0.0);
  };
  const Rival* best = nullptr;
  for (const Rival& one : rivals) {
    if (!may_run(one.decision)) continue;
    const bool is_better =
        best == nullptr ||
        (waits(one) != waits(*best) ? waits(*best) : times_slower(one, *best) < 1);
    if (is_better) best = &one;
  }
  if (best == nullptr) return std::nullopt;
  Decision decision = best->decision;
  decision.tried_after = calls_before(*best);
  return decision;
}

}  // namespace suiro
