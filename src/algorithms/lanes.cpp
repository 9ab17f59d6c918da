// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/lanes.hpp"

#include <algorithm>
#include <memory>

namespace suiro {

namespace {

Blocks in(Buffer buffer, const Range& range) { return {buffer, range.first, range.count}; }

Schedule inside_node(int size, const Lanes& lanes, std::int64_t rounds, std::int64_t stride) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.pieces = lanes.count * lanes.pieces;
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

Schedule reduce_to_lanes(int size, const Lanes& lanes, std::int64_t rounds, std::int64_t stride,
                         std::int64_t most, const Turn& turn) {
  Schedule schedule = inside_node(size, lanes, rounds + stride, stride);
  const std::int64_t places = std::min(places_at_pace(stride), rounds);
  schedule.scratch = places * (size - 1) * most;
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const auto from = [&](int other, std::int64_t at, const Range& range) {
      const std::int64_t place = at % places * (size - 1) + (other < me ? other : other - 1);
      return Blocks{Buffer::scratch, place * most, range.count, range.first};
    };
    const Range arrived = i < stride ? Range{} : turn(i - stride);
    if (arrived.count > 0 && me < lanes.count) {
      const Range range = lanes.range(me, arrived);
      round.steps.push_back(copy(in(Buffer::send, range), in(Buffer::receive, range)));
      for (int other = 0; other < size; ++other) {
        if (other == me) continue;
        round.steps.push_back(reduce(from(other, i - stride, range), in(Buffer::receive, range)));
      }
    }
    const Range next = i < rounds ? turn(i) : Range{};
    if (next.count == 0) return;
    for (int other = 0; other < size; ++other) {
      if (other == me || me >= lanes.count) continue;
      round.steps.push_back(receive(other, from(other, i, lanes.range(me, next))));
    }
    for (int lane = 0; lane < lanes.count; ++lane) {
      if (lane == me) continue;
      round.steps.push_back(send(in(Buffer::send, lanes.range(lane, next)), lane));
    }
  };
  return schedule;
}

Schedule share_lanes(int size, const Lanes& lanes, std::int64_t rounds, std::int64_t stride,
                     const Turn& turn) {
  Schedule schedule = inside_node(size, lanes, rounds, stride);
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const Range range = turn(i);
    if (range.count == 0) return;
    for (int lane = 0; lane < lanes.count; ++lane) {
      if (lane == me) continue;
      round.steps.push_back(receive(lane, in(Buffer::receive, lanes.range(lane, range))));
    }
    for (int other = 0; other < size; ++other) {
      if (other == me || me >= lanes.count) continue;
      round.steps.push_back(send(in(Buffer::receive, lanes.range(me, range)), other));
    }
  };
  return schedule;
}

}  // namespace suiro
