// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms may run for an MPI collective. A v-collective has the schedules of its regular
// twin: blocks of unequal size are still whole blocks, and a schedule only counts blocks.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithms/catalog.hpp"

namespace suiro {

/// The collectives that rules may speak of.
std::span<const std::string_view> rule_collectives();

/// Their sizes differ between ranks, so no decision may depend on them.
bool is_v_collective(std::string_view collective);

/// The algorithm's row in the catalog, for a v-collective that of its regular twin; nullptr when
/// there is none.
const Algorithm* find_candidate(std::string_view collective, std::string_view algorithm);

/// Every name that a rule may give for the collective, "native" first.
std::vector<std::string_view> candidate_names(std::string_view collective);

/// The message for a name that is none of them: what it is, what was probably meant, where the list
/// is.
std::string unknown_algorithm(std::string_view collective, std::string_view algorithm);

/// Empty when the algorithm (nullptr: native) takes this parameter with this value, else what is
/// wrong.
std::string wrong_parameter(const Algorithm* algorithm, std::string_view name, std::int64_t value);

}  // namespace suiro
