// SPDX-License-Identifier: BSD-3-Clause
// What the elements of a datatype are, as far as rounding matters: MPI is asked for the names of
// its own types, and for what others are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/underneath/real.hpp"

namespace suiro::mpi {

/// exact: no floating-point numbers. opaque: perhaps some, but nobody knows where.
enum class NumberKind : std::uint8_t { exact, opaque, float_, double_, long_double, quad };

/// As data are packed: group after group, each of one number, or the two of a complex one, and, in
/// the pairs of MPI_MAXLOC and MPI_MINLOC, the bytes of an index.
struct Numbers {
  NumberKind kind = NumberKind::exact;
  bool complex = false;
  std::size_t number_bytes = 0;
  std::size_t index_bytes = 0;

  std::size_t per_group() const { return complex ? 2 : 1; }
  std::size_t group_bytes() const { return per_group() * number_bytes + index_bytes; }
  bool known() const { return kind > NumberKind::opaque; }
  bool operator==(const Numbers&) const = default;
};

Numbers numbers_of(MPI_Datatype type);

}  // namespace suiro::mpi
