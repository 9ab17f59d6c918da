// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace suiro::mpi {

Tolerance::Kind Tolerance::kind_of(MPI_Datatype type) {
  for (const MPI_Datatype known : {MPI_FLOAT, MPI_REAL, MPI_C_FLOAT_COMPLEX, MPI_COMPLEX}) {
    if (type == known) return Kind::float_;
  }
  for (const MPI_Datatype known :
       {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX}) {
    if (type == known) return Kind::double_;
  }
  return type == MPI_LONG_DOUBLE ? Kind::long_double : Kind::bits;
}

Tolerance::Tolerance(const Operation& operation, int ranks, bool reduces) : ranks_(ranks) {
  if (!reduces || (operation.op != MPI_SUM && operation.op != MPI_PROD)) return;
  kind_ = kind_of(operation.send.type);
  if (operation.op != MPI_SUM) return;
  if (kind_ == Kind::float_) add_magnitudes<float>(operation);
  if (kind_ == Kind::double_) add_magnitudes<double>(operation);
  if (kind_ == Kind::long_double) add_magnitudes<long double>(operation);
}

template <class Number>
void Tolerance::add_magnitudes(const Operation& operation) {
  const UserBuffer& buffer = operation.send;
  const auto numbers = static_cast<std::size_t>(bytes_of(buffer.block(0))) / sizeof(Number);
  const auto* mine = reinterpret_cast<const Number*>(buffer.base);
  const Part before{nullptr, operation.before, buffer.type};
  before_ = static_cast<std::size_t>(bytes_of(before)) / sizeof(Number);
  magnitudes_.resize(numbers);
  std::transform(mine, mine + numbers, magnitudes_.begin(),
                 [](Number number) { return static_cast<double>(std::fabs(number)); });
  constexpr std::size_t at_once = std::size_t{1} << 28;
  for (std::size_t done = 0; done < numbers; done += at_once) {
    real.Allreduce(MPI_IN_PLACE, magnitudes_.data() + done,
                   static_cast<int>(std::min(at_once, numbers - done)), MPI_DOUBLE, MPI_SUM,
                   operation.comm);
  }
}

template <class Number>
std::optional<long long> Tolerance::first_number_beyond(const std::vector<char>& ours,
                                                        const std::vector<char>& native) const {
  const double share =
      2.0 * (ranks_ - 1) * static_cast<double>(std::numeric_limits<Number>::epsilon());
  for (std::size_t offset = 0; offset + sizeof(Number) <= ours.size(); offset += sizeof(Number)) {
    Number mine{};
    Number other{};
    std::memcpy(&mine, ours.data() + offset, sizeof mine);
    std::memcpy(&other, native.data() + offset, sizeof other);
    if (mine == other || (std::isnan(mine) && std::isnan(other))) continue;
    const double scale = magnitudes_.empty()
                             ? static_cast<double>(std::max(std::fabs(mine), std::fabs(other)))
                             : magnitudes_[before_ + offset / sizeof(Number)];
    // Where a partial result of one order overflows, nothing is known of the other.
    if (!std::isfinite(scale)) continue;
    if (!(static_cast<double>(std::fabs(mine - other)) <= share * scale)) {
      return static_cast<long long>(offset);
    }
  }
  return std::nullopt;
}

std::optional<long long> Tolerance::first_beyond(const std::vector<char>& ours,
                                                 const std::vector<char>& native) const {
  switch (kind_) {
    case Kind::float_:
      return first_number_beyond<float>(ours, native);
    case Kind::double_:
      return first_number_beyond<double>(ours, native);
    case Kind::long_double:
      return first_number_beyond<long double>(ours, native);
    case Kind::bits:
      break;
  }
  const auto mismatch = std::ranges::mismatch(ours, native).in1;
  if (mismatch == ours.end()) return std::nullopt;
  return mismatch - ours.begin();
}

}  // namespace suiro::mpi
