// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI library underneath, on the first call of the program. Nothing happens when this
// library is merely loaded.
//
// The MPI may not be the one that this library was compiled for, as nobody can tell beforehand what
// an interpreter will load: then every call is passed on as it came. All arguments of MPI functions
// are integers or pointers, each of which fills one machine word whatever its type, so a function
// that takes words can pass on a call without knowing the types. Several libraries of suiro may be
// preloaded; all but the right one pass on.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

namespace suiro::mpi {

enum class Underneath : std::uint8_t { unknown, ours, other };

extern std::atomic<Underneath> underneath;
bool load_slowly();

/// True when the program uses the MPI that this library was compiled for.
inline bool load() {
  if (underneath.load(std::memory_order_acquire) == Underneath::ours) [[likely]]
    return true;
  return load_slowly();
}

/// What the MPI library says of itself; it may be asked at any time.
std::string library_version();

/// Whose MPI library it is: "openmpi", "mpich" or "other"; and the first number of its version.
std::string implementation();
int release();

/// Generated: fills every member of the tables.
void fill_tables();

void* real_symbol(const char* name);
void* real_symbol_if_any(const char* name);
void* profiler_symbol(const char* name);

/// What a call reaches that is passed on: another library of suiro, a profiler, or MPI.
void* following_symbol(const char* name);

template <class Pointer>
void find_real(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(real_symbol(name));
}

template <class Pointer>
void find_real_if_any(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(real_symbol_if_any(name));
}

template <class Pointer>
void find_profiler(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(profiler_symbol(name));
}

using Word = std::uintptr_t;

template <class Type>
Word word(Type* pointer) {
  return reinterpret_cast<Word>(pointer);
}

template <class Type>
Type from_word(Word word) {
  static_assert(sizeof(Type) <= sizeof(Word));
  if constexpr (std::is_pointer_v<Type>) {
    return reinterpret_cast<Type>(word);
  } else {
    return static_cast<Type>(word);
  }
}

template <class... Types, class... Words>
int call(int (*function)(Types...), Words... words) {
  return function(from_word<Types>(words)...);
}

/// `Entry` differs at every place, so that each finds its function once.
template <int Entry, class... Words>
int pass_on(const char* name, Words... words) {
  static const auto next = reinterpret_cast<int (*)(Words...)>(following_symbol(name));
  return next(words...);
}

}  // namespace suiro::mpi
