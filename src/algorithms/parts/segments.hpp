// SPDX-License-Identifier: BSD-3-Clause
// How a message is cut for a pipeline.
#pragma once

#include "algorithms/catalog.hpp"

namespace suiro {

inline constexpr ParameterSpec segment_spec = {
    .name = segment_parameter,
    .minimum = 0,
    .maximum = 1 << 30,
    .fallback = 0,
    .meaning = "bytes of a segment; 0: what suits the message, the ranks and the link"};

/// Of chains that begin or end at the root.
inline constexpr ParameterSpec chains_spec = {.name = "chains",
                                              .minimum = 1,
                                              .maximum = 1024,
                                              .fallback = 4,
                                              .meaning = "chains that begin or end at the root"};

/// What an MPI puts in front of a message.
inline constexpr std::int64_t header_bytes = 128;

/// Messages up to this size are sent without asking first by every MPI: an answer would wait behind
/// data (MPICH asks above 16 KiB, Open MPI above 64 KiB over TCP).
inline constexpr std::int64_t eager_bytes = (16 << 10) - header_bytes;

/// A message that takes less time on the link than to start is late, even if others are sent.
std::int64_t segment_worth_starting(const Link& link);

/// Eager, unless the link is so fast that such a segment is not worth starting: then processors are
/// the limit, and each message costs them as much as its bytes.
std::int64_t longest_segment(const Link& link);

/// Bytes of a segment with which a pipeline takes least time. With `stages` messages one after the
/// other, the last segment arrives after (bytes / s + stages - 1) (startup + s / rate), which is
/// least where s = sqrt(bytes startup rate / (stages - 1)). In whole frames of Ethernet with what
/// the MPI puts in front, as a frame that is not full costs as much; longest_segment() at most.
std::int64_t pipeline_segment(std::int64_t bytes, std::int64_t stages, const Link& link);

/// How many segments of so many bytes.
std::int64_t pieces_of(std::int64_t bytes, std::int64_t segment);

/// How many segments `bytes` are cut in: by the parameter, or by the formula.
std::int64_t segments_of(std::int64_t bytes, std::int64_t stages, const Call& call,
                         const Parameters& parameters);

}  // namespace suiro
