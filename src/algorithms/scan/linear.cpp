// SPDX-License-Identifier: BSD-3-Clause
// Linear: sums go along the ranks, piece by piece.
#include <algorithm>

#include "algorithms/scan/scan.hpp"

namespace suiro {

namespace {

// Messages that a rank is ready for, and that are leaving; and room for what comes.
constexpr std::int64_t ahead = 2;
constexpr std::int64_t out = 4;
constexpr std::int64_t room = ahead + 2;

Blocks arriving(std::int64_t piece) { return {Buffer::scratch, piece % room, 1, piece}; }

/// Without what is done with a piece that has come, in the round after it came.
Schedule along(const Call& call, const Parameters& parameters) {
  Schedule schedule;
  schedule.ranks = call.topology.ranks();
  schedule.pieces = segments_of(call.bytes, schedule.ranks, call, parameters);
  schedule.rounds = schedule.pieces + 1;
  schedule.window = out;
  schedule.receive_window = 1;
  schedule.lookahead = ahead;
  schedule.scratch = std::min(room, schedule.pieces);
  return schedule;
}

Schedule linear(const Call& call, const Parameters& parameters) {
  Schedule schedule = along(call, parameters);
  schedule.function = [pieces = schedule.pieces, size = schedule.ranks](int me, std::int64_t i,
                                                                        Round& round) {
    if (i < pieces && me > 0) round.steps.push_back(receive(me - 1, arriving(i)));
    if (i == 0) return;
    const Blocks sum{Buffer::receive, i - 1, 1};
    round.steps.push_back(copy({Buffer::send, i - 1, 1}, sum));
    if (me > 0) round.steps.push_back(reduce(arriving(i - 1), sum));
    if (me + 1 < size) round.steps.push_back(send(sum, me + 1));
  };
  return schedule;
}

/// What comes is the result, and goes on with a rank's own from scratch.
Schedule linear_but_own(const Call& call, const Parameters& parameters) {
  Schedule schedule = along(call, parameters);
  const std::int64_t sums = schedule.scratch;  // from there on
  schedule.scratch += std::min(out, schedule.pieces);
  schedule.function = [pieces = schedule.pieces, size = schedule.ranks, sums](
                          int me, std::int64_t i, Round& round) {
    if (i < pieces && me > 0) round.steps.push_back(receive(me - 1, arriving(i)));
    if (i == 0) return;
    const std::int64_t piece = i - 1;
    const Blocks sum{Buffer::scratch, sums + piece % out, 1, piece};
    if (me + 1 < size) {
      round.steps.push_back(copy({Buffer::send, piece, 1}, sum));
      if (me > 0) round.steps.push_back(reduce(arriving(piece), sum));
      round.steps.push_back(send(sum, me + 1));
    }
    if (me > 0) round.steps.push_back(copy(arriving(piece), {Buffer::receive, piece, 1}));
  };
  return schedule;
}

Schedule build_scan_linear(const Call& call, const Parameters& parameters) {
  return named(scan_linear, call, parameters, linear(call, parameters));
}

Schedule build_exscan_linear(const Call& call, const Parameters& parameters) {
  return named(exscan_linear, call, parameters, linear_but_own(call, parameters));
}

}  // namespace

constinit const Algorithm scan_linear = {
    .collective = "scan",
    .name = "linear",
    .summary = "Sums go along the ranks, piece by piece.",
    .source = "Open MPI linear",
    .cost_text =
        "(k + P - 2) messages of M/k in time; M through every port, where ranks are in the order "
        "of nodes; scratch for 4 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_scan_linear,
};

constinit const Algorithm exscan_linear = {
    .collective = "exscan",
    .name = "linear",
    .summary = "Sums go along the ranks, piece by piece.",
    .source = "Open MPI linear",
    .cost_text =
        "(k + P - 2) messages of M/k in time; M through every port, where ranks are in the order "
        "of nodes; scratch for 8 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_exscan_linear,
};

}  // namespace suiro
