// SPDX-License-Identifier: BSD-3-Clause
// What ranks of one node do through shared blocks instead of messages. All are schedules over the
// ranks 0 .. size - 1 of a node, of which rank 0 leads. A block is written once and read by whoever
// needs it, so a rank does no work for another but what it folds.
#pragma once

#include <functional>

#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/lanes.hpp"
#include "algorithms/parts/segments.hpp"
#include "algorithms/parts/tree.hpp"

namespace suiro {

inline constexpr std::int64_t node_chain[] = {1};
inline constexpr ParameterSpec node_radix_spec = {.name = "radix",
                                                  .minimum = 1,
                                                  .maximum = 64,
                                                  .fallback = 2,
                                                  .meaning = "of the tree of nodes; 1: a chain",
                                                  .others = node_chain};

/// Four segments are no more than a rank shares; longer ones are cut to that.
inline constexpr std::int64_t node_segment_max = 240 << 10;
inline constexpr std::int64_t longer_segments[] = {60000, 200000};
inline constexpr ParameterSpec node_segment_spec = {
    .name = segment_parameter,
    .minimum = 0,
    .maximum = 1 << 30,
    .fallback = 0,
    .meaning =
        "bytes of a segment, up to 240 KiB; 0: what suits the message, the ranks and the link",
    .others = longer_segments};

/// In how many segments `bytes` are cut: by that parameter, or by the formula.
std::int64_t node_segments_of(std::int64_t bytes, std::int64_t stages, const Call& call,
                              const Parameters& parameters);

/// The tree of so many nodes that the parameter asks for.
Tree tree_of_nodes(int size, const Parameters& parameters);

/// The sum of what all have in their send buffers, in the receive buffer of rank 0.
Schedule fold_to_leader(int size, const Range& what);

/// What rank 0 has in its receive buffer, in those of all.
Schedule publish(int size, const Range& what);

/// The sum of each lane, in the receive buffer of the rank of that number. Each lane is cut in
/// `segments`, which divide its pieces.
Schedule fold_lanes(int size, const Lanes& lanes, std::int64_t segments);

/// What fold_lanes() left, or what became of it, in the receive buffers of all.
Schedule publish_lanes(int size, const Lanes& lanes, std::int64_t segments);

/// Segments that rank 0 has in `held`, one more in each round, in the receive buffers of all
/// others.
Schedule publish_segments(int size, Buffer held, std::int64_t segments);

/// The sum of each segment in the work buffer of rank 0, one in each round from the third on.
/// Segments are cut in `shares` pieces, each of which another rank folds.
Schedule fold_segments(int size, int shares, std::int64_t segments);

/// `schedule` with `parts` pieces in the place of each.
Schedule subdivided(Schedule schedule, std::int64_t parts);

}  // namespace suiro
