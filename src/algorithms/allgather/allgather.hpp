// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/declared.hpp"
#include "algorithms/parts/gathering.hpp"
#include "algorithms/parts/segments.hpp"

namespace suiro {

/// These gather for ranks 0 .. size - 1 in the receive buffer, a piece each that is there already.
///
/// In step i every rank gets the 2^i pieces after those that it has, round the end of all.
Schedule bruck_allgather(int size);
/// Ranks 2^i apart exchange all that they have. Where ranks are no power of two, some give theirs
/// to a neighbour first and get all last.
Schedule doubling_allgather(int size);

/// In a ring of ranks in node order.
Schedule gather_round(const Call& call, const Parameters& parameters);
/// By counterparts at other sites, and what they bring at each site.
Schedule gather_by_counterparts(const Call& call, const Parameters& parameters);
/// In a ring of nodes that every rank of a node drives with its share.
Schedule gather_in_lanes(const Call& call, const Parameters& parameters);

}  // namespace suiro
