// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms may run for an MPI collective. alltoallv and alltoallw have schedules of their
// regular twin, alltoall: a schedule only counts blocks, which may differ in size and type
// (execute/unequal_blocks.hpp tells how those that join blocks do it).
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/catalog.hpp"

namespace suiro {

/// The names of all collectives.
std::vector<std::string_view> collective_names();

/// The algorithm's row in the catalog, for unequal blocks that of the regular twin; nullptr when
/// there is none that can run.
const Algorithm* find_candidate(std::string_view collective, std::string_view algorithm);

/// Every name that a rule may give for the collective, "native" first.
std::vector<std::string_view> candidate_names(std::string_view collective);

/// The message for a name that is none of them: why not, what was probably meant, where the list
/// is.
std::string unknown_algorithm(std::string_view collective, std::string_view algorithm);

/// Empty when the algorithm (nullptr: native) takes this parameter with this value, else what is
/// wrong.
std::string wrong_parameter(const Algorithm* algorithm, std::string_view name, std::int64_t value);

}  // namespace suiro
