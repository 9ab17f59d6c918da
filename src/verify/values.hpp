// SPDX-License-Identifier: BSD-3-Clause
// What a block can hold when schedules are run symbolically: a rank's own block, or what a
// reduction made of two values. Equal values have equal numbers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/collectives.hpp"

namespace suiro {

class Values {
 public:
  using Id = std::int64_t;
  static constexpr Id none = -1;

  /// `blocks` are the most that a rank has in its send buffer.
  Values(int ranks, std::int64_t blocks);

  /// Block `index` of the send buffer of `origin`.
  Id own(int origin, std::int64_t index) const { return origin * blocks_ + index; }

  /// One of its origins.
  int origin_of(Id value) const;

  /// Which block of its origins it is.
  std::int64_t index_of(Id value) const;

  /// left (op) right; none when they are of different blocks or share an origin: why_not() says.
  Id combine(Id left, Id right);
  std::string why_not(Id left, Id right) const;

  bool is(Id value, const Content& content) const;

  /// The origins follow each other in the order of ranks, from left to right.
  bool is_ordered(Id value) const;

  /// Two values that differ in nothing but the order of operands have the same class: operations
  /// that commute give the same bits for them.
  Id class_of(Id value) const;

  /// "block 3 of rank 1", "block 3 of ranks 0 to 4", "block 3 of 7 ranks".
  std::string text_of(Id value) const;

 private:
  struct Combined {
    std::int64_t index = 0;
    Id same = none;  // its class
    int first = -1;  // where it is ordered: the origins first .. last - 1
    int last = -1;
  };

  bool is_own(Id value) const { return value < own_; }
  const Combined& combined(Id value) const { return combined_[value - own_]; }
  std::pair<int, int> order_of(Id value) const;
  std::uint64_t word(Id value, int number) const;
  int origins(Id value) const;

  int words_;  // of 64 origins each
  std::int64_t blocks_;
  Id own_;  // values below are ranks' own blocks
  std::vector<Combined> combined_;
  std::vector<std::uint64_t> origins_;  // words_ for each of combined_

  struct HashOfPair {
    std::size_t operator()(const std::pair<Id, Id>& pair) const {
      constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // spreads numbers that are close
      return (static_cast<std::uint64_t>(pair.first) * golden + pair.second) * golden;
    }
  };
  using OfPairs = std::unordered_map<std::pair<Id, Id>, Id, HashOfPair>;
  OfPairs known_;
  OfPairs classes_;
};

}  // namespace suiro
