// SPDX-License-Identifier: BSD-3-Clause
// How data are cut: blocks one after the other, each in pieces of as equal a size as whole units
// allow. A unit is a byte, or an element where pieces are reduced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace suiro {

struct Pieces {
  std::int64_t units = 0;   // of a block, where all have as many
  std::int64_t pieces = 0;  // of a block; 0: nothing is cut
  /// Where blocks differ, the first unit of each, and at last the end of all.
  std::span<const std::int64_t> begins = {};

  explicit operator bool() const { return pieces > 0; }

  /// The first unit of a piece; pieces are numbered block after block. Of the piece after the last,
  /// the end.
  std::int64_t begin(std::int64_t piece) const {
    const std::int64_t block = piece / pieces;
    const std::int64_t within = piece % pieces;
    const std::int64_t first = begins.empty() ? block * units : begins[block];
    if (within == 0) return first;
    const std::int64_t all = begins.empty() ? units : begins[block + 1] - first;
    // Units are whole and rest apart, so that nothing overflows.
    return first + all / pieces * within + all % pieces * within / pieces;
  }

  /// Units in `count` pieces from `first` on.
  std::int64_t size(std::int64_t first, std::int64_t count) const {
    return begin(first + count) - begin(first);
  }

  /// Units of the largest piece.
  std::int64_t largest() const {
    std::int64_t block = units;
    for (std::size_t i = 1; i < begins.size(); ++i) {
      block = std::max(block, begins[i] - begins[i - 1]);
    }
    return (block + pieces - 1) / pieces;
  }
};

}  // namespace suiro
