// SPDX-License-Identifier: BSD-3-Clause
// Profilers that stand behind this library in the search order. Most come back: their MPI_X calls
// PMPI_X, which is suiro's, and suiro acts there. Others find what comes after themselves, by
// dlsym(RTLD_NEXT), and so go past suiro, perhaps on some ranks only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace suiro::mpi {

/// The collectives that a profiler of this rank takes past suiro, by their places in the table, and
/// the file of the last such profiler.
struct Detours {
  std::uint64_t collectives = 0;
  std::string file;
};
extern Detours detours;

/// False where nothing says that a profiler's MPI_X calls PMPI_X: its file does not import it.
bool comes_back(void* function, const char* name);
std::string file_of(void* function);

/// Called once for each collective.
template <class Pointer>
void note_detour(const char* name, Pointer profiler, int place) {
  const auto function = reinterpret_cast<void*>(profiler);
  if (function == nullptr || comes_back(function, name)) return;
  detours.collectives |= std::uint64_t{1} << place;
  detours.file = file_of(function);
}

/// Whatever does not come back is taken for MPI: suiro acts around it.
template <class Pointer>
void choose_next(const char* name, Pointer& profiler, Pointer real, Pointer& next) {
  next = real;
  const auto function = reinterpret_cast<void*>(profiler);
  if (function != nullptr && !comes_back(function, name)) {
    next = std::exchange(profiler, nullptr);
  }
}

}  // namespace suiro::mpi
