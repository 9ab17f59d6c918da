// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/segments.hpp"
#include "algorithms/parts/tree.hpp"

namespace suiro {

/// The root has the message in its send buffer, every other rank in its receive buffer.
inline BlockMap held_at(int root) {
  return [root](int rank, Blocks blocks) {
    blocks.buffer = rank == root ? Buffer::send : Buffer::receive;
    return blocks;
  };
}

}  // namespace suiro
