// SPDX-License-Identifier: BSD-3-Clause
// How a message is cut: in pieces of as equal a size as whole units allow. A unit is a byte, or an
// element where pieces are reduced.
#pragma once

#include <cstdint>

namespace suiro {

struct Pieces {
  std::int64_t units = 0;
  std::int64_t pieces = 0;  // 0: the message is not cut, and blocks are no pieces of it

  explicit operator bool() const { return pieces > 0; }

  /// The first unit of a piece; of piece number `pieces`, the end.
  std::int64_t begin(std::int64_t piece) const {
    // Units are whole and rest apart, so that nothing overflows.
    return units / pieces * piece + units % pieces * piece / pieces;
  }

  /// Units in `count` pieces from `first` on.
  std::int64_t size(std::int64_t first, std::int64_t count) const {
    return begin(first + count) - begin(first);
  }

  std::int64_t largest() const { return (units + pieces - 1) / pieces; }
};

}  // namespace suiro
