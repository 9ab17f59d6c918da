// SPDX-License-Identifier: BSD-3-Clause
// Pieces of memory that are used again and again. When long ones are freed, the heap gives them
// back to the system, and every page of the next is then a page fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace suiro {

class SpareMemory {
 public:
  /// At least as much as was asked for, and at most an eighth more.
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t size = 0;
  };

  /// Keeps `most` bytes of what is given back.
  explicit SpareMemory(std::uint64_t most) : most_(most) {}
  ~SpareMemory();
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

  Piece take(std::uint64_t bytes);
  void give(Piece piece);

  std::uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  void free_oldest();

  const std::uint64_t most_;
  std::uint64_t kept_bytes_ = 0;
  std::vector<Piece> pieces_;  // the last one given back is at the end
};

}  // namespace suiro
