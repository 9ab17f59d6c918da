// SPDX-License-Identifier: BSD-3-Clause
// --check: a collective runs by suiro's schedule and natively, and what arrived is compared bit for
// bit. Both results are compared packed, so that only bytes which the datatype covers count.
#pragma once

#include <functional>
#include <optional>

#include "mpi/record.hpp"

namespace suiro::mpi {

/// One call of the user.
struct Operation {
  MPI_Comm comm;
  UserBuffer send;
  UserBuffer receive;
  bool in_place = false;
  std::optional<std::int64_t> bytes;
};

/// The user gets native's result and error. Fills in the times of `call`.
int run_checked(Communicator& communicator, Collective collective, Choice& choice,
                const Operation& operation, const std::function<int()>& native, Call& call);

}  // namespace suiro::mpi
