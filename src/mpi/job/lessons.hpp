// SPDX-License-Identifier: BSD-3-Clause
// What trials have shown outlasts the job. `suiro run` keeps the store of this cluster; the world's
// rank 0, which predicts for most communicators, hears from it what earlier jobs have shown, and
// tells it what this one shows. Other ranks need not know: who predicts tells all.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/catalog.hpp"

namespace suiro::mpi {

/// Once the ranks have agreed. True if this rank keeps its line to `suiro run`: rank 0, if the job
/// learns and there is a store.
bool recall_lessons();

/// Rank 0 tells all others for which collectives and sizes it has something to say at once.
/// Collective over the world, once lessons are recalled.
void share_lessons();

/// `candidate` as it is spelled, and what calls of native's and of its own took, in nanoseconds; on
/// a communicator whose rank 0 this is. Nothing but on the world's rank 0, nor where neighbours'
/// calls may be in the times.
void tell_lesson(const Collective& collective, const Topology& topology, std::int64_t bytes,
                 const std::string& candidate, std::span<const std::int64_t> natives,
                 std::span<const std::int64_t> its);

}  // namespace suiro::mpi
