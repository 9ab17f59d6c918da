// SPDX-License-Identifier: BSD-3-Clause
// What the model takes to answer.
#pragma once

#include <cstdint>

#include "choose/possible_networks.hpp"
#include "collectives/collectives.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// Nobody would wait for an answer, whatever the size.
bool are_too_many(const Collective& collective, const Topology& topology);

/// Of the model (model/play.hpp), that an answer may take, for messages of `middle` bytes. Longer
/// ones have more segments, and take longer, too.
std::int64_t moves_for(const Surroundings& surroundings, const Collective& collective,
                       const Topology& topology, std::int64_t middle);

/// About so many seconds, all calls together.
double answer_s(const Surroundings& surroundings, const Collective& collective,
                const Topology& topology, std::int64_t middle);

}  // namespace suiro
