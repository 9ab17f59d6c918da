// SPDX-License-Identifier: BSD-3-Clause
// `suiro run --transport suiro`: whether this rank's MPI can use suiro's libfabric provider, and
// how it is told to. Both before the real MPI_Init, which chooses what carries messages
// (docs/transport.md).
#pragma once

#include <string>

namespace suiro::mpi {

struct Obstacle {
  std::string why;         // empty: there is none
  bool net_works = false;  // suiro's collectives can use the transport all the same
};

Obstacle provider_obstacle();

/// Puts what each MPI must be told into the environment. Only when all ranks do so: those that
/// chose differently cannot talk.
void choose_provider();

/// After the real MPI_Init: whether the MPI takes a datatype with an offset from its place.
bool sends_from_right_place();

}  // namespace suiro::mpi
