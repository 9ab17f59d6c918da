// SPDX-License-Identifier: BSD-3-Clause
// The large-count forms for an MPI library that has none (MPICH 3, older Intel MPI). mpi4py, for
// one, calls them wherever the names exist, and this library brings them.
#include <limits>
#include <vector>

#include "mpi/point_to_point.hpp"

#if SUIRO_LARGE_COUNTS
namespace suiro::mpi {

namespace {

constexpr MPI_Count int_max = std::numeric_limits<int>::max();
constexpr MPI_Count int_min = std::numeric_limits<int>::min();

bool fits(MPI_Count number) { return int_min <= number && number <= int_max; }

int refuse(MPI_Comm comm) {
  real.Comm_call_errhandler(comm, MPI_ERR_COUNT);
  return MPI_ERR_COUNT;
}

int peers_of(MPI_Comm comm) {
  int is_inter = 0;
  int size = 0;
  if (real.Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  (is_inter != 0 ? real.Comm_remote_size : real.Comm_size)(comm, &size);
  return size;
}

/// A user's array as ints; an array that is absent stays so.
class Narrow {
 public:
  template <class Wide>
  Narrow(const Wide* numbers, int count, bool is_given = true) {
    if (!is_given || numbers == nullptr) return;
    is_given_ = true;
    for (int i = 0; i < count; ++i) {
      fits_ = fits_ && fits(numbers[i]);
      numbers_.push_back(static_cast<int>(numbers[i]));
    }
  }

  bool fits_all() const { return fits_; }
  const int* data() const { return is_given_ ? numbers_.data() : nullptr; }

 private:
  bool is_given_ = false;
  bool fits_ = true;
  std::vector<int> numbers_;
};

struct Side {
  Narrow counts;
  Narrow displacements;
  bool fits_all() const { return counts.fits_all() && displacements.fits_all(); }
};

}  // namespace

namespace narrow {

int Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if ((!in_place && !fits(sendcount)) || !fits(recvcount)) return refuse(comm);
  return intercept::Alltoall(sendbuf, static_cast<int>(sendcount), sendtype, recvbuf,
                             static_cast<int>(recvcount), recvtype, comm);
}

int Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  const int peers = peers_of(comm);
  const bool sends = sendbuf != MPI_IN_PLACE;
  const Side send{{sendcounts, peers, sends}, {sdispls, peers, sends}};
  const Side receive{{recvcounts, peers}, {rdispls, peers}};
  if (!send.fits_all() || !receive.fits_all()) return refuse(comm);
  return intercept::Alltoallv(sendbuf, send.counts.data(), send.displacements.data(), sendtype,
                              recvbuf, receive.counts.data(), receive.displacements.data(),
                              recvtype, comm);
}

int Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  const int peers = peers_of(comm);
  const bool sends = sendbuf != MPI_IN_PLACE;
  const Side send{{sendcounts, peers, sends}, {sdispls, peers, sends}};
  const Side receive{{recvcounts, peers}, {rdispls, peers}};
  if (!send.fits_all() || !receive.fits_all()) return refuse(comm);
  return intercept::Alltoallw(sendbuf, send.counts.data(), send.displacements.data(), sendtypes,
                              recvbuf, receive.counts.data(), receive.displacements.data(),
                              recvtypes, comm);
}

}  // namespace narrow

}  // namespace suiro::mpi
#endif
