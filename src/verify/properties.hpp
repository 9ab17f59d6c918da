// SPDX-License-Identifier: BSD-3-Clause
// One function per property, each with a file of its own: nothing when it holds, else a
// counterexample.
#pragma once

#include <optional>

#include "verify/verify.hpp"

namespace suiro {

std::optional<Violation> one_peer_per_node_per_round(const Schedule& schedule,
                                                     const Topology& topology);
std::optional<Violation> direct(const Schedule& schedule);

}  // namespace suiro
