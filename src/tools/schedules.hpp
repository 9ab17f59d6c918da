// SPDX-License-Identifier: BSD-3-Clause
// The schedules that a command line names: an algorithm on a topology, or the file of a printed
// one; and their properties.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/arguments.hpp"
#include "verify/catalog_proof.hpp"

namespace suiro::tools {

/// ALGORITHM as in a forced algorithm, so that both are written alike: ring, linear_capped:cap=4;
/// with its collective before it or without.
Schedule build_named(const std::string& text, const Call& call);

/// What the busiest link of any node must carry at least, in blocks of the schedule.
double bound_blocks(const Schedule& schedule, const Topology& topology);

/// What a file holds, or standard input for "-". UsageError when there is no such file.
std::string read_text(const std::string& path);

/// The schedule in a file, or in standard input for "-". UsageError when there is no such file.
Schedule read_schedule(const std::string& path);

/// All properties that there are. "Declared" are those of the algorithm that the schedule names.
/// For schedules of which verify() finds nothing wrong.
std::vector<PropertyProof> prove_properties(const Schedule& schedule, const Topology& topology);

nlohmann::ordered_json json_of(const Violation& violation);
nlohmann::ordered_json json_of(const ShapeFinding& finding);
nlohmann::ordered_json json_of(const PropertyProof& proof);

}  // namespace suiro::tools
