// SPDX-License-Identifier: BSD-3-Clause
// Butterfly: in step i ranks that are 2^i apart exchange the sums of their groups of 2^i ranks, and
// the upper one takes in what comes before it. As MPICH does, also where nobody needs the sum.
#include <algorithm>
#include <bit>

#include "algorithms/scan/scan.hpp"

namespace suiro {

namespace {

class Butterfly {
 public:
  Butterfly(int size, bool is_exclusive)
      : size_(size),
        steps_(std::bit_width(static_cast<unsigned>(std::max(size - 1, 0)))),
        is_exclusive_(is_exclusive) {}

  std::int64_t rounds() const { return std::max<std::int64_t>(2 * steps_, 1); }

  /// Step s is an exchange in round 2 s, and its sums in the next one: so one place is enough for
  /// what arrives.
  void operator()(int me, std::int64_t i, Round& round) const {
    if (i == 0) round.steps.push_back(copy(own_, group_));
    if (i == 0 && !is_exclusive_) round.steps.push_back(copy(own_, before_));
    const int other = peer(me, i / 2);
    if (steps_ == 0 || other >= size_) return;
    if (i % 2 == 1) return take_in(me, i / 2, round);
    round.steps.push_back(receive(other, arriving_));
    round.steps.push_back(send(group_, other));
  }

 private:
  static int peer(int me, std::int64_t step) { return me ^ (1 << step); }

  void take_in(int me, std::int64_t step, Round& round) const {
    if (peer(me, step) > me) {
      round.steps.push_back(reduce(group_, arriving_));
      round.steps.push_back(copy(arriving_, group_));
      return;
    }
    const bool is_first = is_exclusive_ && std::countr_zero(static_cast<unsigned>(me)) == step;
    round.steps.push_back(is_first ? copy(arriving_, before_) : reduce(arriving_, before_));
    round.steps.push_back(reduce(arriving_, group_));
  }

  int size_;
  std::int64_t steps_;
  bool is_exclusive_;
  Blocks own_{Buffer::send, 0, 1};
  Blocks before_{Buffer::receive, 0, 1};
  Blocks group_{Buffer::scratch, 0, 1, 0};  // the sum of all ranks of this one's group
  Blocks arriving_{Buffer::scratch, 1, 1, 0};
};

Schedule build_scan_butterfly(const Call& call, const Parameters& parameters) {
  return named(scan_butterfly, call, parameters, butterfly(call.topology.ranks(), false));
}

Schedule build_exscan_butterfly(const Call& call, const Parameters& parameters) {
  return named(exscan_butterfly, call, parameters, butterfly(call.topology.ranks(), true));
}

}  // namespace

constinit const Algorithm scan_butterfly = {
    .collective = "scan",
    .name = "butterfly",
    .summary = "In step i ranks that are 2^i apart exchange the sums of 2^i ranks.",
    .source = "MPICH recursive doubling",
    .cost_text = "ceil(log2 P) messages of M in time, each in both directions; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_scan_butterfly,
};

constinit const Algorithm exscan_butterfly = {
    .collective = "exscan",
    .name = "butterfly",
    .summary = "In step i ranks that are 2^i apart exchange the sums of 2^i ranks.",
    .source = "MPICH recursive doubling",
    .cost_text = "ceil(log2 P) messages of M in time, each in both directions; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_exscan_butterfly,
};

Schedule butterfly(int size, bool is_exclusive) {
  const Butterfly exchange(size, is_exclusive);
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = exchange.rounds();
  schedule.scratch = 2;
  schedule.function = exchange;
  return schedule;
}

}  // namespace suiro
