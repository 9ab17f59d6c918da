// SPDX-License-Identifier: BSD-3-Clause
// Send-side Aggregation, where things are in scratch: what is packed for the node's other ranks;
// what they gave, in two areas in turn, because the next comes while the last is used; what is put
// together; what arrived, where it must be put in order.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/alltoall/carriers.hpp"
#include "schedule/schedule.hpp"

namespace suiro::alltoall {

class AggregationScratch {
 public:
  /// Refers to `carriers`.
  explicit AggregationScratch(const Carriers& carriers);

  /// All of it, the same on every rank.
  std::int64_t blocks() const { return arrived_at() + arrived_; }

  /// For the node's other ranks; the area is used again in every round.
  static Blocks packed(std::int64_t first, std::int64_t count) {
    return {Buffer::scratch, first, count};
  }

  /// From the local rank `from`, what I carry of one round: by node, then by target.
  Blocks gathered(int me, int from, int round) const;

  /// The block for `target` from the local rank `from`: number `index` of what was gathered in a
  /// round. My own are in the send buffer.
  Blocks gathered_block(int me, int from, int round, std::int64_t index, int target) const;

  /// One message to another node, of a block from each rank of the node.
  Blocks together(std::int64_t message, int ppn) const {
    return {Buffer::scratch, together_at() + message * ppn, ppn};
  }

  /// What a node sent to me. It is in its place already if the node's ranks follow each other.
  Blocks arrival(int node) const;
  bool has_arrivals() const { return arrived_ > 0; }

 private:
  void make_room(int node, int round);

  std::int64_t gathered_at(int round) const { return packed_ + round % 2 * gathered_; }
  std::int64_t together_at() const { return packed_ + 2 * gathered_; }
  std::int64_t arrived_at() const { return together_at() + together_; }

  const Carriers& carriers_;
  std::int64_t packed_ = 0;  // sizes of the areas, as blocks
  std::int64_t gathered_ = 0;
  std::int64_t together_ = 0;
  std::int64_t arrived_ = 0;
  std::vector<std::int64_t> first_arrival_;  // of each node, in its area
};

}  // namespace suiro::alltoall
