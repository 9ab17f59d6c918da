// SPDX-License-Identifier: BSD-3-Clause
// A non-blocking reduction of a few numbers over the user's communicator, on which the ranks' calls
// have one order: begun in one of the program's calls, and finished in a later one, the same on all
// ranks. So nobody waits whom the program does not let wait.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mpi/underneath/real.hpp"
#include "mpi/underneath/waiting.hpp"

namespace suiro::mpi {

class Reduction {
 public:
  static constexpr std::size_t numbers_max = 32;

  Reduction() = default;
  Reduction(const Reduction&) = delete;  // MPI knows where it is

  /// The code of an MPI error. None may be open.
  int start(std::span<const std::int64_t> mine, MPI_Op operation, MPI_Comm communicator);

  bool is_open() const { return request_ != MPI_REQUEST_NULL; }

  /// Waits for what is open, if anything; then it is in of_all().
  int finish(Waiting waiting);
  std::span<const std::int64_t> of_all() const { return {of_all_.data(), count_}; }

 private:
  std::array<std::int64_t, numbers_max> mine_{};
  std::array<std::int64_t, numbers_max> of_all_{};
  std::size_t count_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace suiro::mpi
