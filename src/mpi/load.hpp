// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI library underneath, on the first call of the program. Nothing happens when this
// library is merely loaded.
#pragma once

#include <atomic>

namespace suiro::mpi {

extern std::atomic<bool> loaded;
void load_slowly();

inline void load() {
  if (!loaded.load(std::memory_order_acquire)) [[unlikely]]
    load_slowly();
}

/// Generated: calls find_real() and find_profiler() for every member of the tables.
void fill_tables();

void* real_symbol(const char* name);
void* real_symbol_if_any(const char* name);
void* profiler_symbol(const char* name);

template <class Pointer>
void find_real(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(real_symbol(name));
}

template <class Pointer>
void find_real_if_any(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(real_symbol_if_any(name));
}

/// For what the program calls although the MPI library does not have it: ends the program.
template <class Pointer>
void require(const char* name, Pointer pointer) {
  if (pointer == nullptr) [[unlikely]]
    real_symbol(name);
}

template <class Pointer>
void find_profiler(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(profiler_symbol(name));
}

}  // namespace suiro::mpi
