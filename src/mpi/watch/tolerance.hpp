// SPDX-License-Identifier: BSD-3-Clause
// How far two right results of a reduction may be apart. Floating-point numbers are rounded at
// every operation, in any direction by a factor of 1 + d with |d| <= eps, and algorithms take the P
// operands in different orders. To first order, each result is
// - of a sum within (P - 1) eps sum |x| of the exact one (Higham, Accuracy and Stability of
//   Numerical Algorithms, 4.2); of complex numbers, each part is a sum of its own;
// - of a product within (P - 1) eps |product| (3.1), and of complex numbers within
//   2 sqrt(2) (P - 1) eps |product| (3.6), as long as no partial product over- or underflows,
// so two of them are within twice that. A maximum or minimum is one of the operands, but MPI does
// not say which zero it is, nor what comes of a NaN.
//
// Nobody knows the operations of the program's own: for them the user says how far results may be
// apart, as a share of the sum of the operands' magnitudes. Everything else must be equal bit for
// bit.
#pragma once

#include <optional>
#include <vector>

#include "mpi/carry/run.hpp"
#include "mpi/watch/numbers.hpp"

namespace suiro::mpi {

/// Where two results differ by more than is allowed.
struct Deviation {
  std::size_t offset = 0;                      // of the number or byte
  bool may_be_rounding = false;                // nobody knows how much of it there may be
  std::optional<double> share = std::nullopt;  // of the magnitudes, where they are known
};

class Tolerance {
 public:
  /// Collective where the operation rounds. `operands` are this rank's, packed.
  Tolerance(const Operation& operation, int ranks, const std::vector<char>& operands);

  /// For what is not reduced: bit for bit.
  Tolerance() = default;

  /// The first that there is; of equal length.
  std::optional<Deviation> first_beyond(const std::vector<char>& ours,
                                        const std::vector<char>& native) const;

 private:
  enum class Rule : std::uint8_t { bits, sum, product, selection, own };

  /// The sums, over the ranks, of the logarithms that are below 0, and of those above.
  struct Logarithms {
    double below = 0;
    double above = 0;
  };

  static Rule rule_of(MPI_Op op);
  void add_magnitudes(const std::vector<char>& operands, MPI_Comm comm);
  void add_logarithms(const std::vector<char>& operands, MPI_Comm comm);
  bool stays_in_range(const Logarithms& logarithms) const;
  double magnitude(std::size_t group, std::size_t number) const;
  std::optional<double> allowed(std::size_t group, std::size_t number, const char* ours,
                                const char* native) const;
  std::optional<Deviation> deviation_of_group(std::size_t group, const char* ours,
                                              const char* native) const;

  Rule rule_ = Rule::bits;
  Numbers numbers_;
  int ranks_ = 1;
  std::optional<double> users_share_;
  std::vector<double> magnitudes_;      // of sums, by number
  std::vector<Logarithms> logarithms_;  // of products, by group
  std::size_t before_ = 0;              // groups in front of those that are compared
};

}  // namespace suiro::mpi
