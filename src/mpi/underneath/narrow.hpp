// SPDX-License-Identifier: BSD-3-Clause
// Large counts for an MPI library that has no functions for them (MPICH 3, older Intel MPI): where
// they fit, the call goes the way of the ordinary form. mpi4py, for one, calls the large-count
// forms wherever the names exist, and this library brings them.
#pragma once

#include <limits>
#include <vector>

#include "mpi/underneath/real.hpp"

namespace suiro::mpi::narrow {

inline bool fits(MPI_Count number) {
  return std::numeric_limits<int>::min() <= number && number <= std::numeric_limits<int>::max();
}

inline int refuse(MPI_Comm comm) {
  real.Comm_call_errhandler(comm, MPI_ERR_COUNT);
  return MPI_ERR_COUNT;
}

inline int peers_of(MPI_Comm comm) {
  int is_inter = 0;
  int size = 0;
  if (real.Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  (is_inter != 0 ? real.Comm_remote_size : real.Comm_size)(comm, &size);
  return size;
}

inline bool is_root(MPI_Comm comm, int root) {
  int rank = -1;
  real.Comm_rank(comm, &rank);
  return rank == root || root == MPI_ROOT;
}

/// A user's array as ints; an array that is absent stays so.
class Narrow {
 public:
  template <class Wide>
  Narrow(const Wide* numbers, int count, bool is_given) {
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

}  // namespace suiro::mpi::narrow
