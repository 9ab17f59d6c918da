// SPDX-License-Identifier: BSD-3-Clause
// Bruck's algorithm of any radix k: blocks travel the distance to their target digit by digit. In
// the round of digit w a rank hands on all blocks whose distance has digit z there, as one message
// for each z from 1 to k-1, to the rank z k^w further. So there are about log_k(P) rounds of k-1
// messages, and a block goes over the wire up to log_k(P) times: good for tiny blocks only. With
// radix P every block goes straight.
//
// Place i of the work area holds the block with distance i: first the own one for rank me + i, at
// the end the one from rank me - i.
// Cost: ceil(log_k P) + 1 rounds; up to P(k-1)/k blocks out of a rank in each but the last; scratch
// P and twice the blocks of the largest round.
#include <algorithm>
#include <memory>
#include <vector>

#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/alltoall/peers.hpp"

namespace suiro {

namespace {

using alltoall::add_copy;
using alltoall::modulo;
using alltoall::scratch;

constexpr ParameterSpec bruck_parameters[] = {
    {.name = "radix",
     .minimum = 2,
     .maximum = 1024,
     .fallback = 2,
     .meaning = "base of the digits: a round has up to radix - 1 messages"},
};

/// Blocks whose distance has the same digit in the round; a message. Its distances are runs of
/// `weight`.
struct SentPart {
  int hop = 0;    // how far they go: digit times weight
  int first = 0;  // where they are among the blocks of the round
  int count = 0;
};

struct Digit {
  int weight = 1;  // radix to the power of the digit's number
  std::vector<SentPart> parts;
  int blocks = 0;  // of all parts
};

/// Calls run(first, count) for the distances below `ranks` with the digit of `hop` at `weight`.
template <class Run>
void for_runs(int ranks, int radix, int weight, int hop, Run&& run) {
  const std::int64_t period = static_cast<std::int64_t>(weight) * radix;
  for (std::int64_t first = hop; first < ranks; first += period) {
    run(static_cast<int>(first), static_cast<int>(std::min<std::int64_t>(weight, ranks - first)));
  }
}

Digit make_digit(int ranks, int radix, int weight) {
  Digit digit{.weight = weight, .parts = {}, .blocks = 0};
  for (std::int64_t z = 1; z < radix && z * weight < ranks; ++z) {
    SentPart part{.hop = static_cast<int>(z * weight), .first = digit.blocks, .count = 0};
    for_runs(ranks, radix, weight, part.hop, [&](int, int count) { part.count += count; });
    digit.blocks += part.count;
    digit.parts.push_back(part);
  }
  return digit;
}

class Bruck {
 public:
  Bruck(int ranks, int radix) : ranks_(ranks), radix_(radix) {
    for (std::int64_t weight = 1; weight < ranks; weight *= radix) {
      digits_.push_back(make_digit(ranks, radix, static_cast<int>(weight)));
      largest_ = std::max(largest_, digits_.back().blocks);
    }
  }

  std::int64_t rounds() const { return static_cast<std::int64_t>(digits_.size()) + 1; }
  std::int64_t scratch_blocks() const {
    return ranks_ == 1 ? 0 : ranks_ + 2 * static_cast<std::int64_t>(largest_);
  }
  const std::vector<Digit>& digits() const { return digits_; }

  void operator()(int me, std::int64_t index, Round& round) const {
    const auto digit = static_cast<std::size_t>(index);
    if (ranks_ == 1) return add_copy(alltoall::block_for(0), alltoall::block_from(0), round);
    if (digit == 0) {
      rotate_in(me, round);
    } else {
      unpack(digit - 1, round);
    }
    if (digit == digits_.size()) return rotate_out(me, round);
    pack(digit, round);
    for (const SentPart& part : digits_[digit].parts) {
      round.steps.push_back(
          send(scratch(packed_at(digit) + part.first, part.count), modulo(me + part.hop, ranks_)));
      round.steps.push_back(receive(modulo(me - part.hop, ranks_),
                                    scratch(arrived_at(digit) + part.first, part.count)));
    }
  }

 private:
  // Two areas behind the work area, in turn: what arrived is unpacked before the next messages are
  // packed in its place, while the next arrivals may already come to the other area.
  std::int64_t packed_at(std::size_t digit) const {
    return ranks_ + static_cast<std::int64_t>(digit % 2) * largest_;
  }
  std::int64_t arrived_at(std::size_t digit) const { return packed_at(digit + 1); }

  void rotate_in(int me, Round& round) const {
    for (int i = 0; i < ranks_; ++i) {
      add_copy(alltoall::block_for(modulo(me + i, ranks_)), scratch(i, 1), round);
    }
  }

  void rotate_out(int me, Round& round) const {
    for (int i = 0; i < ranks_; ++i) {
      add_copy(scratch(i, 1), alltoall::block_from(modulo(me - i, ranks_)), round);
    }
  }

  /// Calls run(place in the work area, place among the round's blocks, count).
  template <class Run>
  void for_all_runs(const Digit& digit, Run&& run) const {
    for (const SentPart& part : digit.parts) {
      int place = part.first;
      for_runs(ranks_, radix_, digit.weight, part.hop, [&](int first, int count) {
        run(first, place, count);
        place += count;
      });
    }
  }

  void pack(std::size_t digit, Round& round) const {
    for_all_runs(digits_[digit], [&](int first, int place, int count) {
      add_copy(scratch(first, count), scratch(packed_at(digit) + place, count), round);
    });
  }

  void unpack(std::size_t digit, Round& round) const {
    for_all_runs(digits_[digit], [&](int first, int place, int count) {
      add_copy(scratch(arrived_at(digit) + place, count), scratch(first, count), round);
    });
  }

  int ranks_;
  int radix_;
  std::vector<Digit> digits_;
  int largest_ = 0;  // blocks of the largest round
};

int radix_of(const Parameters& parameters) { return static_cast<int>(parameters.at("radix")); }

Schedule build_alltoall_bruck(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const auto rounds = std::make_shared<const Bruck>(topology.ranks(), radix_of(parameters));
  Schedule schedule = named(alltoall_bruck, call, parameters);
  schedule.rounds = rounds->rounds();
  schedule.scratch = rounds->scratch_blocks();
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

/// Blocks that leave a node: those of each part, when the rank that is its hop further is
/// elsewhere.
std::int64_t wire_blocks(const Bruck& bruck, const Topology& topology, int node) {
  std::int64_t blocks = 0;
  for (const int me : topology.ranks_of(node)) {
    for (const Digit& digit : bruck.digits()) {
      for (const SentPart& part : digit.parts) {
        if (topology.node(modulo(me + part.hop, topology.ranks())) != node) blocks += part.count;
      }
    }
  }
  return blocks;
}

Cost cost_bruck(const Topology& topology, const Parameters& parameters) {
  const Bruck bruck(topology.ranks(), radix_of(parameters));
  Cost cost{.rounds = bruck.rounds(), .wire_blocks = 0, .scratch = bruck.scratch_blocks()};
  for (int node = 0; node < topology.nodes(); ++node) {
    cost.wire_blocks = std::max(cost.wire_blocks, wire_blocks(bruck, topology, node));
  }
  return cost;
}

}  // namespace

constinit const Algorithm alltoall_bruck = {
    .collective = "alltoall",
    .name = "bruck",
    .summary = "Blocks travel digit by digit of their distance: few messages, more bytes.",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .cost_text =
        "ceil(log_k P) + 1 rounds for radix k; each but the last moves up to P(k-1)/k "
        "blocks out of a rank; scratch P and twice the blocks of the largest round",
    .parameters = bruck_parameters,
    .properties = {},
    .cost = cost_bruck,
    .build = build_alltoall_bruck,
};

}  // namespace suiro
