// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving and its reversals. A vector is cut in as many pieces as there are members of a
// Pairing; in step s two members 2^s apart halve what they both still have to do, so that the
// largest halves stay among neighbours. All are schedules over ranks 0 .. size - 1.
#pragma once

#include "schedule/schedule.hpp"

namespace suiro {

/// Reduces and scatters: at the end each member has the sum of its piece, in the receive buffer or,
/// where ranks have none, in the work buffer.
Schedule halve(int size, Buffer sums);

/// After halve() in the work buffer: all pieces to the receive buffer of rank 0, along a binomial
/// tree.
Schedule gather_halves(int size);

/// After halve() in the receive buffer: all pieces to all ranks, by recursive doubling.
Schedule share_halves(int size);

}  // namespace suiro
