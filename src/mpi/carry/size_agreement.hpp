// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a communicator come to know one size of MPI_Alltoallv or MPI_Alltoallw. A rank
// knows its own counts only, and all ranks must choose alike, so they agree in the background: at
// some calls each gives the size that it vouches for to a non-blocking reduction, which is finished
// at a later call, the same on all ranks, and counts from then on. It may be out of date, which
// makes a choice slower but never wrong.
#pragma once

#include <cstdint>
#include <optional>

#include "mpi/carry/reduction.hpp"
#include "mpi/underneath/user_buffer.hpp"
#include "topology/topology.hpp"

namespace suiro::mpi {

/// What a rank vouches for, and what the ranks agree on. No less than `mean` is the mean of its
/// blocks to, and of those from, the ranks of other nodes; `uneven` when its blocks are too unequal
/// for a mean to say anything. None of the blocks that it sends to other nodes is above `largest`.
inline constexpr std::int64_t uneven = -1;
struct BlockBytes {
  std::int64_t mean = 0;
  std::int64_t largest = 0;
};
BlockBytes vouched_bytes(const UserBuffer& send, const UserBuffer& receive,
                         const Topology& topology, int rank);

class SizeAgreement {
 public:
  /// True when the next call is one at which ranks exchange sizes: the 2nd, 4th, 8th, ... 64th, and
  /// every 64th after that. A communicator with a single call pays for nothing.
  bool is_due() const;

  /// At such a call: finishes the reduction before and starts one with `vouched`. The reduction is
  /// an operation on the user's communicator, on which the ranks' calls have one order.
  int exchange(MPI_Comm communicator, const BlockBytes& vouched, Waiting waiting);

  /// A call of all ranks; or one that MPI refused here before it began, and that may be made again.
  void count() { ++calls_; }
  void take_back() { --calls_; }

  /// Whether something is under way.
  bool is_open() const { return reduction_.is_open(); }

  /// Waits for what is under way, before the communicator goes.
  int finish(Waiting waiting);

  /// Empty before ranks have agreed, else the smallest mean and the largest block of all.
  const std::optional<BlockBytes>& agreed() const { return agreed_; }

 private:
  static constexpr std::int64_t interval_max = 64;

  std::int64_t calls_ = 0;
  std::int64_t exchanged_at_ = 0;
  // Of the mean, and the largest block negated: the smallest of either is what is agreed on.
  Reduction reduction_;
  std::optional<BlockBytes> agreed_;
};

}  // namespace suiro::mpi
