// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace suiro::mpi {

/// The value of an environment variable; empty where it is not set.
std::string variable(const char* name);

/// Whether SUIRO keeps suiro out. Empty where it says neither.
std::optional<bool> is_off();

/// What the paths of suiro's libraries begin with, as the loader was told them.
std::string own_prefix();

/// Takes this library and what belongs to it out of the environment, so that it does not follow
/// into the programs that the job starts.
void leave_environment();

}  // namespace suiro::mpi
