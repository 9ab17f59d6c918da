// SPDX-License-Identifier: BSD-3-Clause
// Memory that is used again: what fits, how much is kept, and which piece goes first.
#include "base/spare_memory.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace suiro {
namespace {

constexpr std::uint64_t kilobyte = 1024;

TEST(SpareMemory, IsUsedAgainWhereItFits) {
  SpareMemory spare(1 << 20);
  SpareMemory::Piece piece = spare.take(100 * kilobyte);
  const std::byte* const place = piece.bytes.get();
  spare.give(std::move(piece));
  EXPECT_EQ(spare.kept_bytes(), 104 * kilobyte);
  for (const std::uint64_t other : {104 * kilobyte + 1, 96 * kilobyte}) {
    const SpareMemory::Piece fresh = spare.take(other);
    EXPECT_NE(fresh.bytes.get(), place) << other;
    EXPECT_LE(fresh.size, other + other / 8);
  }
  piece = spare.take(97 * kilobyte);
  EXPECT_EQ(piece.bytes.get(), place) << "a little shorter";
  EXPECT_EQ(piece.size, 104 * kilobyte) << "or the rest would be lost when it is given back";
  EXPECT_EQ(spare.kept_bytes(), 0);
  piece.bytes[piece.size - 1] = std::byte{1};  // the sanitizer lets it be used
}

TEST(SpareMemory, GivesTheLastBack) {
  SpareMemory spare(1 << 20);
  SpareMemory::Piece first = spare.take(64 * kilobyte);
  SpareMemory::Piece second = spare.take(64 * kilobyte);
  const std::byte* const warm = second.bytes.get();
  spare.give(std::move(first));
  spare.give(std::move(second));
  EXPECT_EQ(spare.take(64 * kilobyte).bytes.get(), warm);
}

TEST(SpareMemory, KeepsNoMoreThanIsSaid) {
  SpareMemory spare(300 * kilobyte);
  SpareMemory::Piece oldest = spare.take(96 * kilobyte);
  SpareMemory::Piece newer = spare.take(144 * kilobyte);
  SpareMemory::Piece newest = spare.take(128 * kilobyte);
  const std::byte* const place = newer.bytes.get();
  spare.give(std::move(oldest));
  spare.give(std::move(newer));
  spare.give(std::move(newest));
  EXPECT_EQ(spare.kept_bytes(), 272 * kilobyte);
  EXPECT_EQ(spare.take(144 * kilobyte).bytes.get(), place) << "the oldest goes first";
  spare.give(spare.take(301 * kilobyte));
  EXPECT_EQ(spare.kept_bytes(), 128 * kilobyte) << "what is longer than all makes none leave";
}

TEST(SpareMemory, LeavesShortPiecesToTheHeap) {
  SpareMemory spare(1 << 20);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, 16 * kilobyte - 1})
    spare.give(spare.take(bytes));
  EXPECT_EQ(spare.kept_bytes(), 0);
}

}  // namespace
}  // namespace suiro
