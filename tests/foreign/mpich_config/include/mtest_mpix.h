// SPDX-License-Identifier: BSD-3-Clause
// MPICH's build fills this in with what only MPICH has. It is included after mpi.h, so it is the
// place for a name that MPI 3.0 took away and Open MPI no longer declares, but some tests use.
#pragma once

#undef MPI_Errhandler_set
#define MPI_Errhandler_set MPI_Comm_set_errhandler
