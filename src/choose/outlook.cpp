// SPDX-License-Identifier: BSD-3-Clause
#include "choose/outlook.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "choose/native_courses.hpp"
#include "choose/prediction.hpp"
#include "choose/sample.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

/// On each network; none where there are not enough moves for one.
std::vector<Foretold> played(Course& course, std::size_t networks, std::int64_t& moves) {
  std::vector<Foretold> found(networks);
  if (course.steps() > moves) return found;
  while (course.networks_left() > 0 && moves > 0) {
    const std::size_t network = course.networks_left() - 1;
    const auto its = course.advance(std::numeric_limits<double>::infinity(), moves);
    if (its) found[network] = *its;
  }
  return found;
}

}  // namespace

Outlook outlook(const Surroundings& surroundings, const Collective& collective,
                const Topology& topology, std::int64_t bytes, const Decision& decision,
                std::int64_t moves) {
  const Topology some = sample(collective, topology);
  const std::vector<Network> networks = usual_networks(surroundings, some);
  const Stage stage{surroundings, collective, some, networks, bytes, decision.link_Bps};
  NativeCourses native = native_courses(stage, topology);
  Outlook found{.native_said = std::move(native.said), .native_known = native.known};
  found.on.reserve(networks.size());
  for (const Network& network : networks) found.on.push_back({network, {}, {}});
  // As for a decision, what takes few steps comes first, and the last are perhaps not played.
  std::ranges::stable_sort(native.played, {}, [](const auto& one) { return one.course.steps(); });
  for (NativeCourses::Played& one : native.played) {
    const std::vector<Foretold> its = played(one.course, networks.size(), moves);
    for (std::size_t i = 0; i < networks.size(); ++i) {
      if (its[i].seconds < found.on[i].native.seconds) found.on[i].native = its[i];
    }
  }
  if (decision.algorithm == native_algorithm) {
    for (Outlook::On& on : found.on) on.chosen = on.native;
    return found;
  }
  const Algorithm* algorithm = find_candidate(collective.name, decision.algorithm);
  if (algorithm == nullptr) return found;
  Course course = course_of({algorithm, decision.parameters}, stage);
  const std::vector<Foretold> its = played(course, networks.size(), moves);
  for (std::size_t i = 0; i < networks.size(); ++i) found.on[i].chosen = its[i];
  return found;
}

bool is_sure(const Decision& decision) {
  return decision.tried_after == 0 && !decision.reason.starts_with(ignorance_begins) &&
         decision.reason.find(not_all_foretold) == std::string::npos;
}

}  // namespace suiro
