// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/collectives.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// Rounds of an all-to-all are alike, so some nodes stand for many: those are left out that make
/// it more ranks than an answer is worth.
Topology sample(const Collective& collective, const Topology& topology);

}  // namespace suiro
