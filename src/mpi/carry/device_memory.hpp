// SPDX-License-Identifier: BSD-3-Clause
// Buffers in the memory of a GPU are left to the MPI library, which knows how to reach them (an MPI
// that does not must not be given them). Nothing of CUDA or ROCm is linked or loaded: their
// runtimes are asked where a process has them already. What the ranks know of each other is from
// the end of MPI_Init: where nobody had a runtime by then, a rank that loads one later is on its
// own, and has its data copied to the host and back by the MPI.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/carry/run.hpp"

namespace suiro::mpi {

/// True where this process has loaded CUDA's or ROCm's runtime.
bool has_device_runtime();

/// Collective: whether any rank's buffer is in device memory, as all ranks must run the same.
/// Returns the code of an MPI error.
int find_device_memory(MPI_Comm communicator, const UserBuffer& send, const UserBuffer& receive,
                       bool& found);

/// A call's buffers as suiro may touch them: the user's, or copies of what is in device memory.
class OnHost {
 public:
  /// The carrier's twin takes the copies to this rank itself.
  OnHost(const Collective& collective, const Operation& operation, const Carrier& carrier,
         int ranks);

  const Operation& operation() const { return ours_ ? *ours_ : theirs_; }

  /// Before and after the run. The code of an MPI error.
  int fetch();
  int deliver();

  /// What is under way may still be read.
  void leave_behind() { new std::vector<std::vector<char>>(std::move(storage_)); }

 private:
  struct Side {
    UserBuffer device;
    UserBuffer host;
    int blocks = 0;
  };

  void move(std::initializer_list<Side*> sides);
  int copy(const UserBuffer& source, const UserBuffer& target, int blocks) const;

  const Operation& theirs_;
  std::optional<Operation> ours_;
  const Carrier& carrier_;
  Side send_;
  Side receive_;
  std::vector<std::vector<char>> storage_;
};

}  // namespace suiro::mpi
