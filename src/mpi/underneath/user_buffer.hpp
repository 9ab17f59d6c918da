// SPDX-License-Identifier: BSD-3-Clause
// The user's buffers as their arguments describe them: MPI_Alltoall has one count and type for all
// blocks, MPI_Alltoallv a count and a displacement per block, MPI_Alltoallw a type per block too,
// and MPI_Bcast one message, whose pieces are the blocks; the large-count forms (_c) have wider
// numbers. Everything else in this layer only asks for blocks.
#pragma once

#include <cstdint>

#include "execute/pieces.hpp"
#include "mpi/underneath/real.hpp"

namespace suiro::mpi {

/// Elements in memory, as MPI takes them.
struct Part {
  char* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type{};
};

/// As MPI would pack them.
inline MPI_Count bytes_of(const Part& part) {
  MPI_Count size = 0;
  real.Type_size_x(part.type, &size);
  return size * part.count;
}

/// The user's array of one number per block, in the width that the call has; or none.
template <class Wide>
class PerBlock {
 public:
  PerBlock() = default;
  PerBlock(const int* numbers) : narrow_(numbers) {}
  PerBlock(const Wide* numbers) : wide_(numbers) {}

  explicit operator bool() const { return narrow_ != nullptr || wide_ != nullptr; }
  Wide operator[](std::int64_t block) const {
    return narrow_ != nullptr ? narrow_[block] : wide_[block];
  }

 private:
  const int* narrow_ = nullptr;
  const Wide* wide_ = nullptr;
};

inline MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  real.Type_get_extent(type, &lower, &extent);
  return extent;
}

/// Block b has counts[b] (or `count`) elements of types[b] (or `type`) and starts at
/// displacements[b] (or b * count) times `unit_bytes` from `base`. Where data are cut, it is piece
/// b from the buffer's first one on.
struct UserBuffer {
  char* base = nullptr;
  MPI_Aint unit_bytes = 0;  // the extent of `type`, or 1 where there are `types`
  MPI_Datatype type{};
  MPI_Count count = 0;
  PerBlock<MPI_Count> counts = {};
  PerBlock<MPI_Aint> displacements = {};
  const MPI_Datatype* types = nullptr;
  Pieces cut = {};
  std::int64_t first_piece = 0;

  /// The type of nothing may be MPI_DATATYPE_NULL, so nothing is bytes.
  Part block(std::int64_t index) const {
    const MPI_Count elements = counts ? counts[index] : count;
    if (elements == 0) return {base, 0, MPI_BYTE};
    const MPI_Aint first =
        displacements ? displacements[index] : static_cast<MPI_Aint>(index * elements);
    return {base + first * unit_bytes, elements, types != nullptr ? types[index] : type};
  }

  /// Blocks that follow each other, of one size or pieces.
  Part blocks(std::int64_t first, std::int64_t number) const {
    if (cut) {
      return {base + cut.size(first_piece, first) * unit_bytes,
              cut.size(first_piece + first, number), type};
    }
    Part part = block(first);
    part.count *= number;
    return part;
  }
};

}  // namespace suiro::mpi
