// SPDX-License-Identifier: BSD-3-Clause
// What a collective means: which block is where before and after. A block is known by the rank that
// contributes it and its number in that rank's send buffer.
#pragma once

#include <cstdint>
#include <string_view>

namespace suiro {

struct BlockName {
  int origin = -1;
  std::int64_t index = -1;
  friend bool operator==(const BlockName&, const BlockName&) = default;
};

struct Collective {
  std::string_view name;
  bool reduces = false;
  std::int64_t (*send_blocks)(int ranks);
  std::int64_t (*receive_blocks)(int ranks);
  /// The block that must be in receive[index] of `rank` at the end. Before, send[index] of `rank`
  /// holds {rank, index}.
  BlockName (*expected)(int rank, std::int64_t index);
};

/// nullptr when verify does not know the collective.
const Collective* find_collective(std::string_view name);

}  // namespace suiro
