// SPDX-License-Identifier: BSD-3-Clause
// The memory of suiro's own that a run takes: all of it at once, before anything is sent, and not
// written, so that what no message needs takes up no pages. What the last runs of a process had is
// kept for the next ones, up to a limit, whatever their collectives and communicators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/spare_memory.hpp"

namespace suiro::mpi {

enum class Use : std::uint8_t {
  mirror,    // of what is sent
  arrivals,  // what was received and must be unpacked
  scratch,
  work,
  joined  // where blocks that differ are joined
};
inline constexpr std::size_t uses = 5;

/// How many bytes for what.
class Needs {
 public:
  std::size_t& operator[](Use use) { return bytes_[static_cast<std::size_t>(use)]; }
  std::size_t operator[](Use use) const { return bytes_[static_cast<std::size_t>(use)]; }

 private:
  std::size_t bytes_[uses] = {};
};

class RunMemory {
 public:
  /// Throws std::bad_alloc, and then has taken nothing.
  explicit RunMemory(const Needs& needs);
  ~RunMemory();
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;

  /// nullptr where nothing is needed.
  std::byte* operator[](Use use) const {
    return pieces_[static_cast<std::size_t>(use)].bytes.get();
  }

  /// Sends that were let go may read it for ever after.
  void leave_behind();

 private:
  SpareMemory::Piece pieces_[uses];
};

}  // namespace suiro::mpi
