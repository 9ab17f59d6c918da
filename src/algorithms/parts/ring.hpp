// SPDX-License-Identifier: BSD-3-Clause
// Rings over ranks 0 .. size - 1: everybody sends to the next and receives from the one before.
#pragma once

#include <functional>

#include "algorithms/catalog.hpp"

namespace suiro {

/// Consecutive pieces.
struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
inline Blocks in(Buffer buffer, const Range& range) { return {buffer, range.first, range.count}; }

/// What is where when in an allreduce ring. Every rank has a block of as many pieces; a piece goes
/// round once to be reduced, and once more to be known. `stride` pieces of each block are on their
/// way together, one in each round, so that a rank has others to send while it reduces one.
class RingPlan {
 public:
  RingPlan(int size, std::int64_t block);

  int size() const { return static_cast<int>(size_); }
  std::int64_t pieces() const { return size_ * block_; }
  std::int64_t stride() const { return stride_; }
  std::int64_t rounds() const;

  /// The messages of a piece: 0 .. size - 2 to reduce it, the others to make it known.
  std::int64_t step(std::int64_t i) const { return i / stride_ % steps(); }
  /// What `rank` sends in round i; it came `stride` rounds before, from the rank before.
  Range sent(int rank, std::int64_t i) const;
  /// Of what `rank` must have its own operand from round i on, if it had not before.
  Range needed(int rank, std::int64_t i) const;
  /// Of what `rank` has the result from round i on, if it had not before. The last are there
  /// `stride` rounds after the others.
  Range known(int rank, std::int64_t i) const;

 private:
  std::int64_t steps() const { return size_ == 1 ? 1 : 2 * size_ - 2; }

  std::int64_t size_;
  std::int64_t block_;
  std::int64_t stride_;
};

/// Reduces for all, right also in place.
Schedule ring_allreduce(const RingPlan& plan);

/// What may be under way where pieces come and go on in steps of `stride` rounds, all of it within
/// the rounds of `steps` steps; and the rounds after which a place of scratch that a piece came to
/// is free again, when it has left from there, or has been reduced.
void set_pace(Schedule& schedule, std::int64_t stride, std::int64_t steps = 4);
std::int64_t places_to_leave(std::int64_t stride);
std::int64_t places_to_reduce(std::int64_t stride);

/// Pieces to a block of so many bytes: by the parameter, or longest_segment() at most and, where
/// a link's speed makes it worth while, `in_flight` of them on the way. A rank keeps so many pieces
/// in scratch, for which eager ones are as small as they get.
std::int64_t ring_pieces(std::int64_t block_bytes, std::int64_t in_flight, const Call& call,
                         const Parameters& parameters, std::int64_t kept = 1);

/// Segments that a rank keeps where it sums for its node what goes round, or went round backwards.
std::int64_t kept_for_node(const Topology& topology);

/// Gathers one piece of each rank for all. Rank r has the pieces from r on, held(r) of them, in its
/// receive buffer, and gets the others.
Schedule ring_allgather(int size, const std::function<int(int rank)>& held);

}  // namespace suiro
