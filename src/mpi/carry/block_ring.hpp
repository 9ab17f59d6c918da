// SPDX-License-Identifier: BSD-3-Clause
// Where each run has its shared blocks in the memory of a rank: behind those of the run before it,
// and at the beginning again after some runs. So a rank may be several short runs ahead of the
// others, and long runs find in the caches what the one before the last has left. It depends on
// nothing but the sizes of the runs, and so is the same on all ranks of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace suiro::mpi {

class BlockRing {
 public:
  /// Runs whose blocks lie behind each other, at most. With more, ranks would be further ahead and
  /// caches would hold less of the blocks.
  static constexpr std::size_t runs_max = 8;

  /// Room for three of the longest runs. The third is only used where a run would else wait for the
  /// one before it.
  explicit BlockRing(std::size_t longest) : longest_(longest) { turns_.reserve(4 * runs_max); }

  /// Room for the next run. Runs are counted from 1. The result is the last run that all ranks must
  /// have ended before, as its blocks lie there: never the one before it; 0: none.
  std::uint64_t take(std::uint64_t run, std::size_t bytes);
  /// The last run is as if it had never been.
  void give_back() { turns_.pop_back(); }

  /// Where the blocks of the last run begin.
  std::size_t begin() const { return turns_.back().begin; }

 private:
  struct Turn {
    std::uint64_t run = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t number = 0;  // since the beginning of the memory
  };

  std::size_t longest_;
  std::vector<Turn> turns_;  // whose blocks may be read still
};

}  // namespace suiro::mpi
