// SPDX-License-Identifier: BSD-3-Clause
// What the model foretells of one call: native, what is surely faster on all networks that this may
// be, or, where it may be tried (trial.hpp), what perhaps is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choose/possible_networks.hpp"
#include "collectives/collectives.hpp"
#include "rules/rules.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// Rounds of an all-to-all are alike, so some nodes stand for many: those are left out that make
/// it more ranks than an answer is worth.
Topology sample(const Collective& collective, const Topology& topology);

inline Decision native(std::string reason) {
  return {std::string(native_algorithm), {}, std::move(reason)};
}

/// `refuted`: names of algorithms that were tried and are slower here. Throws std::bad_alloc, and
/// std::exception where a schedule cannot be made or played.
Decision predict(const Surroundings& surroundings, const Collective& collective,
                 const Topology& topology, std::int64_t bytes,
                 const std::vector<std::string>& refuted);

}  // namespace suiro
