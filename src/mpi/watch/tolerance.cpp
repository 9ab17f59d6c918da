// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/watch/tolerance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "mpi/job/job.hpp"

namespace suiro::mpi {

namespace {

// Fortran's numbers of 16 bytes; numbers.cpp calls them so where C has others.
#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

/// The arithmetic of a kind of numbers; the smallest normal number is 2^(min_exponent - 1).
struct Format {
  int digits = 0;
  int min_exponent = 0;
  int max_exponent = 0;

  double epsilon() const { return std::ldexp(1.0, 1 - digits); }
  double smallest() const { return std::ldexp(1.0, min_exponent - 1); }
};

template <class Number>
constexpr Format format_of{std::numeric_limits<Number>::digits,
                           std::numeric_limits<Number>::min_exponent,
                           std::numeric_limits<Number>::max_exponent};

Format format(NumberKind kind) {
  constexpr Format of_quad{.digits = 113, .min_exponent = -16381, .max_exponent = 16384};
  switch (kind) {
    case NumberKind::float_:
      return format_of<float>;
    case NumberKind::long_double:
      return format_of<long double>;
    case NumberKind::quad:
      return of_quad;
    default:
      return format_of<double>;
  }
}

/// Two numbers; `apart` is their difference, taken before they are made doubles.
struct Pair {
  double first = 0;
  double second = 0;
  double apart = 0;
  bool equal = false;

  bool has_nan() const { return std::isnan(first) || std::isnan(second); }
};

template <class Number>
Pair pair_of(const char* first, const char* second) {
  Number one{};
  Number other{};
  std::memcpy(&one, first, sizeof one);
  std::memcpy(&other, second, sizeof other);
  Pair pair{static_cast<double>(one), static_cast<double>(other),
            static_cast<double>(one > other ? one - other : other - one), one == other};
  pair.equal |= std::isnan(pair.first) && std::isnan(pair.second);
  return pair;
}

Pair pair_of(NumberKind kind, const char* first, const char* second) {
  switch (kind) {
    case NumberKind::float_:
      return pair_of<float>(first, second);
    case NumberKind::long_double:
      return pair_of<long double>(first, second);
    case NumberKind::quad:
      return pair_of<Quad>(first, second);
    default:
      return pair_of<double>(first, second);
  }
}

double number_at(NumberKind kind, const char* address) {
  return pair_of(kind, address, address).first;
}

/// As std::hypot, which a library for older systems must not need.
double hypotenuse(double one, double other) {
  const double larger = std::max(std::fabs(one), std::fabs(other));
  const double ratio = larger == 0 ? 0 : std::min(std::fabs(one), std::fabs(other)) / larger;
  return larger * std::sqrt(1 + ratio * ratio);
}

/// The binary logarithm below and above 1, as bounds: between powers of two it is up to 0.09 above
/// a straight line. (std::log2 is another that a library for older systems must not need.)
std::pair<double, double> logarithms_of(double magnitude) {
  if (magnitude == 0) return {0, 0};
  int exponent = 0;
  const double fraction = 2 * std::frexp(magnitude, &exponent) - 1;
  const double low = exponent - 1 + fraction;
  return {std::min(low, 0.0), std::max(low + (fraction > 0 ? 0.09 : 0), 0.0)};
}

/// Of a real or a complex number.
double magnitude_of_group(const Numbers& numbers, const char* group) {
  double magnitude = 0;
  for (std::size_t number = 0; number < numbers.per_group(); ++number) {
    const char* address = group + number * numbers.number_bytes;
    magnitude = hypotenuse(magnitude, number_at(numbers.kind, address));
  }
  return magnitude;
}

void add_over_ranks(double* values, std::size_t count, MPI_Comm comm) {
  constexpr std::size_t at_once = std::size_t{1} << 28;
  for (std::size_t done = 0; done < count; done += at_once) {
    real.Allreduce(MPI_IN_PLACE, values + done, static_cast<int>(std::min(at_once, count - done)),
                   MPI_DOUBLE, MPI_SUM, comm);
  }
}

/// Whatever of it may be rounding.
std::optional<Deviation> first_other_byte(const std::vector<char>& ours,
                                          const std::vector<char>& native, bool may_be_rounding) {
  const auto mismatch = std::ranges::mismatch(ours, native).in1;
  if (mismatch == ours.end()) return std::nullopt;
  return Deviation{static_cast<std::size_t>(mismatch - ours.begin()), may_be_rounding};
}

}  // namespace

Tolerance::Rule Tolerance::rule_of(MPI_Op op) {
  if (op == MPI_SUM) return Rule::sum;
  if (op == MPI_PROD) return Rule::product;
  for (const MPI_Op known : {MPI_MAX, MPI_MIN, MPI_MAXLOC, MPI_MINLOC}) {
    if (op == known) return Rule::selection;
  }
  for (const MPI_Op known : {MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR}) {
    if (op == known) return Rule::bits;
  }
  return Rule::own;
}

Tolerance::Tolerance(const Operation& operation, int ranks, const std::vector<char>& operands)
    : rule_(rule_of(operation.op)), ranks_(ranks), users_share_(job.settings.check_tolerance) {
  if (rule_ == Rule::bits) return;
  numbers_ = numbers_of(operation.send.type);
  const std::size_t group = numbers_.known() ? numbers_.group_bytes() : 0;
  if (group == 0) return;
  const Part before{nullptr, operation.before, operation.send.type};
  before_ = static_cast<std::size_t>(bytes_of(before)) / group;
  if (rule_ == Rule::sum || rule_ == Rule::own) add_magnitudes(operands, operation.comm);
  if (rule_ == Rule::product) add_logarithms(operands, operation.comm);
}

void Tolerance::add_magnitudes(const std::vector<char>& operands, MPI_Comm comm) {
  const std::size_t step = numbers_.group_bytes();
  for (std::size_t group = 0; group + step <= operands.size(); group += step) {
    for (std::size_t number = 0; number < numbers_.per_group(); ++number) {
      const char* address = operands.data() + group + number * numbers_.number_bytes;
      magnitudes_.push_back(std::fabs(number_at(numbers_.kind, address)));
    }
  }
  add_over_ranks(magnitudes_.data(), magnitudes_.size(), comm);
}

/// A zero makes every product zero that it is in.
void Tolerance::add_logarithms(const std::vector<char>& operands, MPI_Comm comm) {
  const std::size_t step = numbers_.group_bytes();
  for (std::size_t group = 0; group + step <= operands.size(); group += step) {
    const double magnitude = magnitude_of_group(numbers_, operands.data() + group);
    const auto [below, above] = logarithms_of(magnitude);
    logarithms_.push_back({below, above});
  }
  static_assert(sizeof(Logarithms) == 2 * sizeof(double));
  add_over_ranks(reinterpret_cast<double*>(logarithms_.data()), 2 * logarithms_.size(), comm);
}

/// Whatever the order: no partial product is infinite, or so small that it has lost digits.
bool Tolerance::stays_in_range(const Logarithms& logarithms) const {
  const Format known = format(numbers_.kind);
  return logarithms.below > known.min_exponent + known.digits &&
         logarithms.above < known.max_exponent - 1;
}

/// Over all ranks, of the operands for a number.
double Tolerance::magnitude(std::size_t group, std::size_t number) const {
  return magnitudes_[(before_ + group) * numbers_.per_group() + number];
}

/// By how much a number may differ; empty where any result may be right.
std::optional<double> Tolerance::allowed(std::size_t group, std::size_t number, const char* ours,
                                         const char* native) const {
  if (rule_ == Rule::selection) return 0;
  const Format known = format(numbers_.kind);
  const double roundings = 2.0 * (ranks_ - 1);
  if (rule_ == Rule::product) {
    if (!stays_in_range(logarithms_[before_ + group])) return std::nullopt;
    const double each = known.epsilon() * (numbers_.complex ? 2 * std::sqrt(2.0) : 1);
    return roundings * each *
           std::max(magnitude_of_group(numbers_, ours), magnitude_of_group(numbers_, native));
  }
  const double magnitudes = magnitude(group, number);
  if (!(magnitudes < std::ldexp(1.0, known.max_exponent - 1))) return std::nullopt;
  if (rule_ == Rule::own) return users_share_.value_or(0) * magnitudes;
  // Processors may flush what is smaller than the smallest normal number.
  return roundings * (known.epsilon() * magnitudes + known.smallest());
}

std::optional<Deviation> Tolerance::deviation_of_group(std::size_t group, const char* ours,
                                                       const char* native) const {
  const bool unknown = rule_ == Rule::own && !users_share_;
  const std::size_t begin = group * numbers_.group_bytes();
  for (std::size_t number = 0; number < numbers_.per_group(); ++number) {
    const std::size_t offset = number * numbers_.number_bytes;
    const Pair pair = pair_of(numbers_.kind, ours + offset, native + offset);
    if (rule_ == Rule::selection && pair.has_nan()) return std::nullopt;
    if (pair.equal) continue;
    const std::optional<double> most = allowed(group, number, ours, native);
    if (!most || pair.apart <= *most) continue;
    Deviation found{begin + offset, unknown};
    if (unknown) found.share = pair.apart / magnitude(group, number);
    return found;
  }
  const std::size_t index = numbers_.per_group() * numbers_.number_bytes;
  if (std::memcmp(ours + index, native + index, numbers_.index_bytes) == 0) return std::nullopt;
  return Deviation{begin + index, unknown};
}

std::optional<Deviation> Tolerance::first_beyond(const std::vector<char>& ours,
                                                 const std::vector<char>& native) const {
  if (!numbers_.known()) {
    return first_other_byte(ours, native, numbers_.kind == NumberKind::opaque);
  }
  const std::size_t step = numbers_.group_bytes();
  for (std::size_t group = 0; (group + 1) * step <= ours.size(); ++group) {
    const std::size_t begin = group * step;
    const auto found = deviation_of_group(group, ours.data() + begin, native.data() + begin);
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace suiro::mpi
