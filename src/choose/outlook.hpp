// SPDX-License-Identifier: BSD-3-Clause
// What a decision comes to, by the model: how long the MPI's own algorithm takes, and how long what
// was decided, on each network that this may be. It decides nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choose/course.hpp"
#include "choose/possible_networks.hpp"
#include "collectives/collectives.hpp"
#include "rules/rules.hpp"
#include "topology/topology.hpp"

namespace suiro {

struct Outlook {
  /// What is not known takes infinite time. Native is chosen: both are the same.
  struct On {
    Network network;
    Foretold native;
    Foretold chosen;
  };
  std::string native_said = {};
  bool native_known = false;  // what is played for native is what the MPI runs
  std::vector<On> on = {};
};

/// While nobody else uses nodes or links. `moves`: of the model, for all plays together; what takes
/// more is not known. Throws std::exception where a schedule cannot be made or played.
Outlook outlook(const Surroundings& surroundings, const Collective& collective,
                const Topology& topology, std::int64_t bytes, const Decision& decision,
                std::int64_t moves);

/// Whether the model sees to the end of it: the decision is no guess that calls are to settle, and
/// nothing was left out for want of time.
bool is_sure(const Decision& decision);

}  // namespace suiro
