// SPDX-License-Identifier: BSD-3-Clause
// --check: a collective runs by suiro's schedule and natively, and what arrived is compared bit for
// bit. Both results are compared packed, so that only bytes which the datatype covers count.
// Reductions of floating-point numbers may differ by what another order of the operands can make of
// rounding (tolerance.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "mpi/watch/record.hpp"

namespace suiro::mpi {

/// The user gets native's result and error. Fills in the times of `call`. Empty, and native has not
/// run, where some rank has not what it takes: `lack`.
std::optional<int> run_checked(Communicator& communicator, const Collective& collective,
                               Choice& choice, const Operation& operation, Native native,
                               Observation& call, std::string_view& lack);

}  // namespace suiro::mpi
