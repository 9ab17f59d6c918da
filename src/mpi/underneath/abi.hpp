// SPDX-License-Identifier: BSD-3-Clause
// The mpi.h that the library is compiled against, of Open MPI, MPICH or the MPI standard. Open
// MPI's predefined handles are addresses of data in libmpi; this library is loaded into shells too,
// where there is no libmpi, so it must not refer to such data: every predefined handle is looked up
// by name when it is first used.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace suiro::mpi {

/// The address of a data symbol of the MPI library.
void* predefined(const char* symbol);

}  // namespace suiro::mpi

#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                        \
  ([] {                                                             \
    static void* const address = ::suiro::mpi::predefined(#global); \
    return static_cast<type>(address);                              \
  }())
#endif
