// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/copies.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/underneath/point_to_point.hpp"

namespace suiro::mpi {

namespace {

constexpr int copy_tag = 1;

/// True when elements of the type are consecutive bytes at their address.
bool contiguous(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  real.Type_size_x(type, &size);
  real.Type_get_extent(type, &lower, &extent);
  real.Type_get_true_extent(type, &true_lower, &true_extent);
  return size == extent && size == true_extent && lower == 0 && true_lower == 0;
}

/// MPICH refuses the older question for a type that was made with large counts.
bool is_named(MPI_Datatype type) {
  int combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  if (real.Type_get_envelope_c != nullptr) {
    MPI_Count of_each_kind[4];
    real.Type_get_envelope_c(type, &of_each_kind[0], &of_each_kind[1], &of_each_kind[2],
                             &of_each_kind[3], &combiner);
    return combiner == MPI_COMBINER_NAMED;
  }
#endif
  int integers = 0;
  int addresses = 0;
  int types = 0;
  real.Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

bool is_plain(MPI_Datatype type) { return contiguous(type) && is_named(type); }

int error_of_type(MPI_Datatype type, MPI_Comm communicator) {
  char nothing[1] = {};
  int at = 0;
  return real.Pack(nothing, 0, type, nothing, sizeof nothing, &at, communicator);
}

bool copy_plain(const Part& source, const Part& target) {
  const MPI_Count bytes = bytes_of(source);
  if (bytes > bytes_of(target)) return false;
  if (bytes > 0) std::memmove(target.address, source.address, static_cast<std::size_t>(bytes));
  return true;
}

int copy_typed(const Part& source, const Part& target, MPI_Comm communicator) {
  int rank = 0;
  real.Comm_rank(communicator, &rank);
  return send_to_self(source, target, rank, copy_tag, communicator);
}

int local_copy(const Part& source, const Part& target, MPI_Comm communicator) {
  if (is_plain(source.type) && is_plain(target.type) && copy_plain(source, target)) {
    return MPI_SUCCESS;
  }
  return copy_typed(source, target, communicator);
}

int deliver(const Part& block, const Part& place, MPI_Comm communicator) {
  if (bytes_of(block) > bytes_of(place)) return MPI_ERR_TRUNCATE;
  return local_copy(block, place, communicator);
}

Span span_of(const UserBuffer& buffer, int blocks) {
  MPI_Aint low = 0;
  MPI_Aint high = 0;
  bool any = false;
  for (int block = 0; block < blocks; ++block) {
    const Part part = buffer.block(block);
    if (part.count == 0) continue;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    real.Type_get_true_extent(part.type, &true_lower, &true_extent);
    const MPI_Aint first = part.address - buffer.base;
    const MPI_Aint last = first + static_cast<MPI_Aint>(part.count - 1) * extent_of(part.type);
    const MPI_Aint begin = std::min(first, last) + true_lower;
    const MPI_Aint end = std::max(first, last) + true_lower + true_extent;
    low = any ? std::min(low, begin) : begin;
    high = any ? std::max(high, end) : end;
    any = true;
  }
  return {low, high - low};
}

}  // namespace suiro::mpi
