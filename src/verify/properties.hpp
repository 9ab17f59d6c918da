// SPDX-License-Identifier: BSD-3-Clause
// One function per property: nothing when it holds, else a counterexample.
#pragma once

#include <functional>
#include <optional>

#include "verify/values.hpp"
#include "verify/verify.hpp"

namespace suiro {

std::optional<Violation> one_peer_per_node_per_round(const Schedule& schedule,
                                                     const Topology& topology);
std::optional<Violation> direct(const Schedule& schedule);
std::optional<Violation> ordered(const Schedule& schedule);
std::optional<Violation> same_everywhere(const Schedule& schedule);
std::optional<Violation> in_place(const Schedule& schedule);
std::optional<Violation> port_optimal(const Schedule& schedule, const Topology& topology);

/// Runs a proven schedule and shows what every receive block of every rank holds at the end, until
/// `look` finds something.
std::optional<Violation> for_each_result(
    const Schedule& schedule,
    const std::function<std::optional<Violation>(int rank, std::int64_t block, Values::Id value,
                                                 const Values& values)>& look);

}  // namespace suiro
