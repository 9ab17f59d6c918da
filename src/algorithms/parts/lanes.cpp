// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/lanes.hpp"

#include <algorithm>
#include <memory>

namespace suiro {

namespace {

Schedule inside_node(int size, std::int64_t rounds, std::int64_t stride) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = rounds;
  set_pace(schedule, stride);
  return schedule;
}

}  // namespace

int lanes_of(const Groups& nodes) {
  std::size_t least = nodes.front().size();
  for (const std::vector<int>& node : nodes) least = std::min(least, node.size());
  return static_cast<int>(least);
}

Schedule along(const Lanes& lanes, const Groups& nodes, const Schedule& schedule,
               std::int64_t scratch_at) {
  int ranks = 0;
  for (const std::vector<int>& node : nodes) ranks += static_cast<int>(node.size());
  std::vector<Part> parts;
  for (int lane = 0; lane < lanes.count; ++lane) {
    const auto lies = [lanes, lane](int, const Blocks& blocks) {
      return in(Buffer::receive, lanes.range(lane, {blocks.first, blocks.count}));
    };
    parts.push_back(among(nodes, static_cast<std::size_t>(lane), schedule, lies));
  }
  Schedule whole = side_by_side(ranks, std::move(parts), scratch_at);
  whole.pieces = lanes.count * lanes.pieces;
  return whole;
}

Schedule reduce_to_lanes(int size, int lanes, std::int64_t rounds, std::int64_t stride,
                         std::int64_t most, const Turn& turn) {
  Schedule schedule = inside_node(size, rounds + stride, stride);
  const std::int64_t places = std::min(places_to_reduce(stride), rounds);
  schedule.scratch = places * (size - 1) * most;
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const auto from = [&](int other, std::int64_t at, const Range& range) {
      const std::int64_t place = at % places * (size - 1) + (other < me ? other : other - 1);
      return Blocks{Buffer::scratch, place * most, range.count, range.first};
    };
    const bool drives = me < lanes;
    const Range range = i < stride || !drives ? Range{} : turn(me, i - stride);
    if (range.count > 0) {
      round.steps.push_back(copy(in(Buffer::send, range), in(Buffer::receive, range)));
      for (int other = 0; other < size; ++other) {
        if (other == me) continue;
        round.steps.push_back(reduce(from(other, i - stride, range), in(Buffer::receive, range)));
      }
    }
    if (i >= rounds) return;
    const Range own = drives ? turn(me, i) : Range{};
    for (int other = 0; other < size && own.count > 0; ++other) {
      if (other != me) round.steps.push_back(receive(other, from(other, i, own)));
    }
    for (int lane = 0; lane < lanes; ++lane) {
      const Range next = turn(lane, i);
      if (lane == me || next.count == 0) continue;
      round.steps.push_back(send(in(Buffer::send, next), lane));
    }
  };
  return schedule;
}

Schedule share_lanes(int size, int lanes, std::int64_t rounds, std::int64_t stride,
                     const Turn& turn) {
  Schedule schedule = inside_node(size, rounds, stride);
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    for (int lane = 0; lane < lanes; ++lane) {
      const Range range = turn(lane, i);
      if (lane == me || range.count == 0) continue;
      round.steps.push_back(receive(lane, in(Buffer::receive, range)));
    }
    const Range own = me < lanes ? turn(me, i) : Range{};
    for (int other = 0; other < size && own.count > 0; ++other) {
      if (other != me) round.steps.push_back(send(in(Buffer::receive, own), other));
    }
  };
  return schedule;
}

}  // namespace suiro
