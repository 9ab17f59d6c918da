! SPDX-License-Identifier: BSD-3-Clause
! The module mpi_f08: handles are types, error codes may be left out.
program collectives_f08
  use mpi_f08
  implicit none
  integer :: code, rank, ranks, i
  integer, allocatable :: sent(:), received(:), counts(:), places(:)
  type(MPI_Datatype), allocatable :: types(:)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate (sent(ranks), received(ranks), counts(ranks), places(ranks), types(ranks))
  sent = [(100*rank + i, i=0, ranks - 1)]
  counts = 1
  places = [(i, i=0, ranks - 1)]
  call MPI_Alltoall(sent, 1, MPI_INTEGER, received, 1, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(received /= [(100*i + rank, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INTEGER, received, 1, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(received /= sent)) call MPI_Abort(MPI_COMM_WORLD, 2)
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, received, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD)
  if (any(received /= [(100*i + rank, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 3)
  types = MPI_INTEGER
  places = 4*places
  call MPI_Alltoallw(received, counts, places, types, sent, counts, places, types, &
                     MPI_COMM_WORLD)
  if (any(sent /= [(100*rank + i, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 4)
  sent = [(100*rank + i, i=0, ranks - 1)]
  call MPI_Bcast(sent, ranks, MPI_INTEGER, 1, MPI_COMM_WORLD)
  if (any(sent /= [(100 + i, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 5)
  sent = [(rank + i, i=0, ranks - 1)]
  call MPI_Reduce(sent, received, ranks, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD)
  if (rank == 1 .and. any(received /= [(ranks*(ranks - 1)/2 + ranks*i, i=0, ranks - 1)])) &
    call MPI_Abort(MPI_COMM_WORLD, 6)
  call MPI_Allreduce(MPI_IN_PLACE, sent, ranks, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  if (any(sent /= [(ranks - 1 + i, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 7)
  call MPI_Barrier(MPI_COMM_WORLD)
  include 'blocks.inc'
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize()
end program
