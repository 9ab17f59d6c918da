// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/run_memory.hpp"

#include <mutex>

namespace suiro::mpi {

namespace {

struct Spare {
  static constexpr std::uint64_t kept_bytes = std::uint64_t{64} << 20;

  std::mutex mutex;  // collectives of several communicators may run at once
  SpareMemory memory{kept_bytes};
};

/// Never destroyed: threads may outlive main().
Spare& spare() {
  static Spare& found = *new Spare;
  return found;
}

}  // namespace

RunMemory::RunMemory(const Needs& needs) {
  const std::scoped_lock lock(spare().mutex);
  for (std::size_t use = 0; use < uses; ++use) {
    const std::size_t bytes = needs[static_cast<Use>(use)];
    if (bytes > 0) pieces_[use] = spare().memory.take(bytes);
  }
}

RunMemory::~RunMemory() {
  const std::scoped_lock lock(spare().mutex);
  for (SpareMemory::Piece& piece : pieces_) {
    if (piece.bytes) spare().memory.give(std::move(piece));
  }
}

void RunMemory::leave_behind() {
  for (SpareMemory::Piece& piece : pieces_) static_cast<void>(piece.bytes.release());
}

}  // namespace suiro::mpi
