// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: in step i every rank takes in what the rank 2^i before it has.
#include <algorithm>
#include <bit>
#include <numeric>

#include "algorithms/scan/scan.hpp"

namespace suiro {

namespace {

Schedule doubling(const Call& call, const Parameters&) {
  return doubling_scan(call.topology.ranks());
}

Schedule doubling_but_first(const Call& call, const Parameters&) {
  return exclusive(doubling_scan(call.topology.ranks() - 1));
}

Schedule build_scan_recursive_doubling(const Call& call, const Parameters& parameters) {
  return named(scan_recursive_doubling, call, parameters, doubling(call, parameters));
}

Schedule build_exscan_recursive_doubling(const Call& call, const Parameters& parameters) {
  return named(exscan_recursive_doubling, call, parameters, doubling_but_first(call, parameters));
}

}  // namespace

constinit const Algorithm scan_recursive_doubling = {
    .collective = "scan",
    .name = "recursive_doubling",
    .summary = "In step i every rank takes in what the rank 2^i before it has.",
    .source = "Hillis and Steele (1986); MPICH and Open MPI",
    .cost_text = "ceil(log2 P) messages of M in time; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_scan_recursive_doubling,
};

constinit const Algorithm exscan_recursive_doubling = {
    .collective = "exscan",
    .name = "recursive_doubling",
    .summary = "In step i every rank takes in what the rank 2^i before it has.",
    .source = "Hillis and Steele (1986); MPICH and Open MPI",
    .cost_text = "ceil(log2 P) messages of M in time, and a message of M first; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_exscan_recursive_doubling,
};

Schedule doubling_scan(int size) {
  Schedule schedule;
  schedule.ranks = size;
  const auto steps =
      static_cast<std::int64_t>(std::bit_width(static_cast<unsigned>(std::max(size - 1, 0))));
  schedule.rounds = steps + 1;
  schedule.scratch = 2;
  schedule.function = [size, steps](int me, std::int64_t i, Round& round) {
    const Blocks sum{Buffer::receive, 0, 1};
    const auto arriving = [](std::int64_t step) { return Blocks{Buffer::scratch, step % 2, 1, 0}; };
    if (i == 0) round.steps.push_back(copy({Buffer::send, 0, 1}, sum));
    if (i > 0 && me >= (1 << (i - 1))) round.steps.push_back(reduce(arriving(i - 1), sum));
    if (i == steps) return;
    const int away = 1 << i;
    if (me >= away) round.steps.push_back(receive(me - away, arriving(i)));
    if (me + away < size) round.steps.push_back(send(sum, me + away));
  };
  return schedule;
}

Schedule exclusive(Schedule scan) {
  const int ranks = scan.ranks + 1;
  const Blocks all{Buffer::scratch, 0, scan.pieces, 0};
  Schedule shift;
  shift.ranks = ranks;
  shift.function = [](int, std::int64_t, Round&) {};
  if (ranks == 1) return shift;
  shift.pieces = scan.pieces;
  shift.rounds = 2;
  shift.scratch = scan.pieces;
  shift.function = [ranks, all](int me, std::int64_t i, Round& round) {
    if (i == 0 && me > 0) round.steps.push_back(receive(me - 1, all));
    if (i == 0 && me + 1 < ranks) round.steps.push_back(send({Buffer::send, 0, all.count}, me + 1));
    if (i == 1 && me > 0) round.steps.push_back(copy(all, {Buffer::receive, 0, all.count}));
  };
  std::vector<int> but_first(static_cast<std::size_t>(scan.ranks));
  std::iota(but_first.begin(), but_first.end(), 1);
  std::vector<Part> parts;
  parts.push_back({.schedule = in_receive_buffer(std::move(scan)), .ranks = std::move(but_first)});
  return sequence(std::move(shift), side_by_side(ranks, std::move(parts), 0));
}

}  // namespace suiro
