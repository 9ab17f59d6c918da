! SPDX-License-Identifier: BSD-3-Clause
! The oldest binding: mpif.h, no interfaces, handles are integers.
program collectives_mpif
  implicit none
  include 'mpif.h'
  integer :: code, rank, ranks, i
  integer, allocatable :: sent(:), received(:), counts(:), places(:), types(:)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  allocate (sent(ranks), received(ranks), counts(ranks), places(ranks), types(ranks))
  sent = [(100*rank + i, i=0, ranks - 1)]
  counts = 1
  places = [(i, i=0, ranks - 1)]
  call MPI_Alltoall(sent, 1, MPI_INTEGER, received, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
  if (any(received /= [(100*i + rank, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 1, code)
  call MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INTEGER, received, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
  if (any(received /= sent)) call MPI_Abort(MPI_COMM_WORLD, 2, code)
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, received, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD, code)
  if (any(received /= [(100*i + rank, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 3, code)
  types = MPI_INTEGER
  places = 4*places
  call MPI_Alltoallw(received, counts, places, types, sent, counts, places, types, &
                     MPI_COMM_WORLD, code)
  if (any(sent /= [(100*rank + i, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 4, code)
  sent = [(100*rank + i, i=0, ranks - 1)]
  call MPI_Bcast(sent, ranks, MPI_INTEGER, 1, MPI_COMM_WORLD, code)
  if (any(sent /= [(100 + i, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 5, code)
  sent = [(rank + i, i=0, ranks - 1)]
  call MPI_Reduce(sent, received, ranks, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, code)
  if (rank == 1 .and. any(received /= [(ranks*(ranks - 1)/2 + ranks*i, i=0, ranks - 1)])) &
    call MPI_Abort(MPI_COMM_WORLD, 6, code)
  call MPI_Allreduce(MPI_IN_PLACE, sent, ranks, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, code)
  if (any(sent /= [(ranks - 1 + i, i=0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 7, code)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  include 'blocks.inc'
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)
end program
