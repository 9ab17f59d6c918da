// SPDX-License-Identifier: BSD-3-Clause
// How far two right results of a reduction may be apart. Floating-point numbers are rounded at
// every operation, and algorithms take the operands in different orders: of P numbers, each order
// is within (P - 1) eps sum |x| of the exact sum, to first order, and within (P - 1) eps |product|
// of the exact product (Higham, Accuracy and Stability of Numerical Algorithms, 4.2 and 3.1), so
// two of them are within twice that. Everything else must be equal bit for bit.
#pragma once

#include <optional>
#include <vector>

#include "mpi/run.hpp"

namespace suiro::mpi {

class Tolerance {
 public:
  /// Collective for sums of floating-point numbers: the ranks add up their magnitudes.
  Tolerance(const Operation& operation, int ranks, bool reduces);

  /// The offset of the first byte, or number, at which the two are further apart; of equal length.
  std::optional<long long> first_beyond(const std::vector<char>& ours,
                                        const std::vector<char>& native) const;

 private:
  enum class Kind : std::uint8_t { bits, float_, double_, long_double };

  static Kind kind_of(MPI_Datatype type);
  template <class Number>
  void add_magnitudes(const Operation& operation);
  template <class Number>
  std::optional<long long> first_number_beyond(const std::vector<char>& ours,
                                               const std::vector<char>& native) const;

  Kind kind_ = Kind::bits;
  int ranks_ = 1;
  std::vector<double> magnitudes_;  // of a sum, by number; empty for a product
  std::size_t before_ = 0;          // numbers in front of those that are compared
};

}  // namespace suiro::mpi
