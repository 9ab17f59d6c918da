// SPDX-License-Identifier: BSD-3-Clause
#include "base/spare_memory.hpp"

#include <sanitizer/asan_interface.h>

#include <bit>
#include <utility>

namespace suiro {
namespace {

/// Shorter pieces the heap keeps itself.
constexpr std::uint64_t least = 16 << 10;

/// Lengths that differ little share their pieces.
std::uint64_t rounded(std::uint64_t bytes) {
  if (bytes < least) return bytes;
  const auto low_bits = std::bit_width(bytes) - 4;  // of an eighth of the power of two below
  return (((bytes - 1) >> low_bits) + 1) << low_bits;
}

}  // namespace

SpareMemory::~SpareMemory() {
  while (!pieces_.empty()) free_oldest();
}

/// The last one of this length, which may still be in a cache.
SpareMemory::Piece SpareMemory::take(std::uint64_t bytes) {
  const std::uint64_t size = rounded(bytes);
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    if (pieces_[i].size != size) continue;
    Piece piece = std::move(pieces_[i]);
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
    kept_bytes_ -= piece.size;
    ASAN_UNPOISON_MEMORY_REGION(piece.bytes.get(), piece.size);
    return piece;
  }
  return {.bytes = std::make_unique_for_overwrite<std::byte[]>(size), .size = size};
}

void SpareMemory::give(Piece piece) {
  if (piece.size < least || piece.size > most_) return;
  while (kept_bytes_ + piece.size > most_) free_oldest();
  ASAN_POISON_MEMORY_REGION(piece.bytes.get(), piece.size);  // so that a late use is still found
  kept_bytes_ += piece.size;
  pieces_.push_back(std::move(piece));
}

void SpareMemory::free_oldest() {
  Piece& oldest = pieces_.front();
  ASAN_UNPOISON_MEMORY_REGION(oldest.bytes.get(), oldest.size);
  kept_bytes_ -= oldest.size;
  pieces_.erase(pieces_.begin());
}

}  // namespace suiro
