// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/watch/numbers.hpp"

#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace suiro::mpi {

namespace {

constexpr Numbers opaque{.kind = NumberKind::opaque};

std::size_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  real.Type_size_x(type, &size);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

/// Of 16 bytes, Fortran's numbers are those of IEEE 754, and C's are what the compiler makes.
NumberKind kind_of(std::size_t number_bytes, bool of_c) {
  if (number_bytes == sizeof(float)) return NumberKind::float_;
  if (number_bytes == sizeof(double)) return NumberKind::double_;
  if (number_bytes != sizeof(long double)) return NumberKind::opaque;
  constexpr int quad_digits = 113;
  const bool same = std::numeric_limits<long double>::digits == quad_digits;
  return of_c || same ? NumberKind::long_double : NumberKind::quad;
}

Numbers floating(std::size_t number_bytes, bool complex, bool of_c, std::size_t index_bytes = 0) {
  const NumberKind kind = kind_of(number_bytes, of_c);
  if (kind == NumberKind::opaque) return opaque;
  return {kind, complex, number_bytes, index_bytes};
}

/// By its precision; with 16 bytes it may be either kind.
Numbers parametrised(std::size_t number_bytes, bool complex) {
  return number_bytes > sizeof(double) ? opaque : floating(number_bytes, complex, false);
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

/// MPI_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_REAL8, MPI_2DOUBLE_PRECISION, MPI_LONG_DOUBLE_INT.
Numbers numbers_of_name(std::string_view name, std::size_t bytes) {
  if (name == "MPI_BYTE" || name == "MPI_PACKED") return opaque;
  const bool complex = has(name, "COMPLEX");
  if (!complex && !has(name, "FLOAT") && !has(name, "DOUBLE") && !has(name, "REAL")) return {};
  const bool of_c = has(name, "LONG_DOUBLE");
  if (name.ends_with("_INT")) {
    return floating(bytes - sizeof(int), false, of_c, sizeof(int));
  }
  const bool two = name.starts_with("MPI_2");
  return floating(bytes / (two ? 2 : 1) / (complex ? 2 : 1), complex, of_c);
}

Numbers numbers_of_named(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  if (real.Type_get_name(type, name.data(), &length) != MPI_SUCCESS) return opaque;
  return numbers_of_name(name.data(), size_of(type));
}

/// How a type was made.
struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

bool is_mpis_own(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/// False for a type that was made with large counts, which has another kind of envelope.
bool ask(MPI_Datatype type, Envelope& envelope) {
#if MPI_VERSION >= 4
  if (real.Type_get_envelope_c != nullptr) {
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count large = 0;
    MPI_Count types = 0;
    if (real.Type_get_envelope_c(type, &integers, &addresses, &large, &types, &envelope.combiner) !=
            MPI_SUCCESS ||
        large > 0) {
      return false;
    }
  }
#endif
  return real.Type_get_envelope(type, &envelope.integers, &envelope.addresses, &envelope.types,
                                &envelope.combiner) == MPI_SUCCESS;
}

void free_if_made(MPI_Datatype& type) {
  Envelope envelope;
  if (ask(type, envelope) && is_mpis_own(envelope.combiner)) return;
  real.Type_free(&type);
}

/// Numbers of one kind all through, or nobody knows where they are.
Numbers numbers_of_parts(MPI_Datatype type, const Envelope& envelope) {
  std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses));
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(envelope.types));
  if (types.empty() ||
      real.Type_get_contents(type, envelope.integers, envelope.addresses, envelope.types,
                             integers.data(), addresses.data(), types.data()) != MPI_SUCCESS) {
    return opaque;
  }
  const Numbers first = numbers_of(types.front());
  bool alike = true;
  for (MPI_Datatype& part : types) {
    alike = alike && numbers_of(part) == first;
    free_if_made(part);
  }
  return alike ? first : opaque;
}

}  // namespace

Numbers numbers_of(MPI_Datatype type) {
  Envelope envelope;
  if (!ask(type, envelope)) return opaque;
  switch (envelope.combiner) {
    case MPI_COMBINER_NAMED:
      return numbers_of_named(type);
    case MPI_COMBINER_F90_REAL:
      return parametrised(size_of(type), false);
    case MPI_COMBINER_F90_COMPLEX:
      return parametrised(size_of(type) / 2, true);
    case MPI_COMBINER_F90_INTEGER:
      return {};
    default:
      return numbers_of_parts(type, envelope);
  }
}

}  // namespace suiro::mpi
