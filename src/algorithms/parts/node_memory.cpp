// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/node_memory.hpp"

#include <algorithm>

namespace suiro {

namespace {

/// Segments of a rank that others may still read: one is brought, and one folded. More would fill
/// the caches of a node for nothing.
constexpr std::int64_t segments_read = 2;

/// Sums of a rank: of one segment that it folds, of one that is collected, and of one of which it
/// does not know yet that it was.
constexpr std::int64_t sums_read = 3;

/// Segments that a leader publishes before it waits for its ranks.
constexpr std::int64_t segments_published = 4;

/// As for segments that go between nodes (tree.cpp), so that both have one pace.
constexpr std::int64_t segments_out = 8;
constexpr std::int64_t segments_ahead = 4;

Blocks place(std::int64_t at, const Range& pieces) {
  return {Buffer::shared, at, pieces.count, pieces.first};
}

void tell_others(int me, int size, Round& round) {
  for (int other = 0; other < size; ++other) {
    if (other != me) round.steps.push_back(send(shared_written, other));
  }
}

void hear_from(int me, int first, int last, Round& round) {
  for (int other = first; other < last; ++other) {
    if (other != me) round.steps.push_back(receive(other, shared_written));
  }
}

Schedule two_rounds(int size, std::int64_t shared) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = 2;
  schedule.shared = shared;
  return schedule;
}

Schedule segments_over(int size, std::int64_t rounds) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = rounds;
  schedule.window = segments_out;
  schedule.receive_window = 1;
  schedule.lookahead = segments_ahead;
  return schedule;
}

}  // namespace

std::int64_t node_segments_of(std::int64_t bytes, std::int64_t stages, const Call& call,
                              const Parameters& parameters) {
  const std::int64_t most = pieces_of(bytes, node_segment_max);
  return std::max(most, segments_of(bytes, stages, call, parameters));
}

Tree tree_of_nodes(int size, const Parameters& parameters) {
  const auto radix = static_cast<int>(parameters.at("radix"));
  return radix == 1 ? chain_tree(size, 1) : knomial_tree(size, radix);
}

Schedule fold_to_leader(int size, const Range& what) {
  Schedule schedule = two_rounds(size, what.count);
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const Blocks own = in(Buffer::send, what);
    const Blocks sum = in(Buffer::receive, what);
    if (i == 0 && me > 0) {
      round.steps.push_back(copy(own, place(0, what)));
      round.steps.push_back(send(shared_written, 0));
    } else if (i == 0) {
      round.steps.push_back(copy(own, sum));
      hear_from(me, 0, size, round);
    } else if (me == 0) {
      for (int other = 1; other < size; ++other) {
        round.steps.push_back(reduce(place(0, what), sum, other));
      }
    }
  };
  return schedule;
}

Schedule publish(int size, const Range& what) {
  Schedule schedule = two_rounds(size, what.count);
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const Blocks held = in(Buffer::receive, what);
    if (i == 0 && me == 0) {
      if (size > 1) round.steps.push_back(copy(held, place(0, what)));
      tell_others(me, size, round);
    } else if (i == 0) {
      round.steps.push_back(receive(0, shared_written));
    } else if (me > 0) {
      round.steps.push_back(copy(place(0, what), held, 0));
    }
  };
  return schedule;
}

namespace {

/// What the ranks of a node do with their lanes. Two segments of a rank lie in its memory, so that
/// it writes the next but one when it was told that the first was read.
struct LaneSegments {
  int size;
  Lanes lanes;
  std::int64_t segments;

  std::int64_t pieces() const { return lanes.pieces / segments; }  // of a lane, in a segment
  std::int64_t places() const { return std::min<std::int64_t>(segments, 2); }

  Range range(int lane, std::int64_t segment) const {
    return lanes.range(lane, {segment * pieces(), pieces()});
  }
  Blocks shared(int lane, std::int64_t segment) const {
    return place((segment % places() * lanes.count + lane) * pieces(), range(lane, segment));
  }
  Blocks held(Buffer buffer, int lane, std::int64_t segment) const {
    return in(buffer, range(lane, segment));
  }

  Schedule over() const {
    Schedule schedule = segments_over(size, segments + 1);
    schedule.shared = places() * lanes.count * pieces();
    return schedule;
  }

  bool owns(int rank) const { return rank < lanes.count; }

  /// In round i a rank that `writes` tells that it has written, and one that `reads` that it has
  /// read what was written in the round before; the former is told by the latter where both do.
  void tell(bool writes, bool reads, std::int64_t i, int other, Round& round) const {
    const bool again = i > 0 && i + 1 < segments;
    if (writes) round.steps.push_back(send(shared_written, other));
    if (!writes && reads && again) round.steps.push_back(send(no_blocks, other));
  }
  void hear(bool writes, bool reads, std::int64_t i, int other, Round& round) const {
    const bool again = i > 0 && i + 1 < segments;
    if (writes) round.steps.push_back(receive(other, shared_written));
    if (!writes && reads && again) round.steps.push_back(receive(other, no_blocks));
  }
};

}  // namespace

Schedule fold_lanes(int size, const Lanes& lanes, std::int64_t segments) {
  const LaneSegments its{size, lanes, segments};
  Schedule schedule = its.over();
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    for (int other = 0; i > 0 && me < lanes.count && other < size; ++other) {
      if (other == me) continue;
      const Blocks sum = its.held(Buffer::receive, me, i - 1);
      round.steps.push_back(reduce(its.shared(me, i - 1), sum, other));
    }
    if (i == segments) return;
    for (int lane = 0; lane < lanes.count; ++lane) {
      const Blocks own = its.held(Buffer::send, lane, i);
      const bool mine = lane == me;
      round.steps.push_back(
          copy(own, mine ? its.held(Buffer::receive, lane, i) : its.shared(lane, i)));
    }
    // All write for the owners, who read.
    for (int other = 0; other < size; ++other) {
      if (other == me) continue;
      its.tell(its.owns(other), its.owns(me), i, other, round);
      its.hear(its.owns(me), its.owns(other), i, other, round);
    }
  };
  return schedule;
}

Schedule publish_lanes(int size, const Lanes& lanes, std::int64_t segments) {
  const LaneSegments its{size, lanes, segments};
  Schedule schedule = its.over();
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    for (int lane = 0; i > 0 && lane < lanes.count; ++lane) {
      if (lane == me) continue;
      const Blocks target = its.held(Buffer::receive, lane, i - 1);
      round.steps.push_back(copy(its.shared(lane, i - 1), target, lane));
    }
    if (i == segments) return;
    if (me < lanes.count && size > 1) {
      round.steps.push_back(copy(its.held(Buffer::receive, me, i), its.shared(me, i)));
    }
    // The owners write for all, who read.
    for (int other = 0; other < size; ++other) {
      if (other == me) continue;
      its.tell(its.owns(me), its.owns(other), i, other, round);
      its.hear(its.owns(other), its.owns(me), i, other, round);
    }
  };
  return schedule;
}

Schedule publish_segments(int size, Buffer held, std::int64_t segments) {
  Schedule schedule = segments_over(size, size > 1 ? segments + 1 : 0);
  const std::int64_t places = std::min(segments, segments_published);
  schedule.pieces = segments;
  schedule.shared = size > 1 ? places : 0;
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    const auto shared = [&](std::int64_t segment) { return place(segment % places, {segment, 1}); };
    if (me == 0) {
      if (i < segments) {
        round.steps.push_back(copy({held, i, 1}, shared(i)));
        tell_others(me, size, round);
      }
      // All have read what lies where the next segment goes.
      const std::int64_t read = i + 1 - places;
      for (int other = 1; read >= 0 && i + 1 < segments && other < size; ++other) {
        round.steps.push_back(receive(other, no_blocks));
      }
      return;
    }
    if (i > 0) {
      round.steps.push_back(copy(shared(i - 1), {Buffer::receive, i - 1, 1}, 0));
      if (i - 1 + places < segments) round.steps.push_back(send(no_blocks, 0));
    }
    if (i < segments) round.steps.push_back(receive(0, shared_written));
  };
  return schedule;
}

namespace {

/// What fold_segments() does on one rank.
struct SegmentFold {
  int size;
  int shares;
  std::int64_t segments;

  std::int64_t places() const { return std::min(segments, segments_read); }
  std::int64_t sums() const { return std::min(segments, sums_read); }
  std::int64_t slots() const { return places() * shares + (shares > 1 ? sums() : 0); }
  Range share(std::int64_t segment, int number) const { return {segment * shares + number, 1}; }

  Blocks brought(std::int64_t segment, int number) const {
    return place(segment % places() * shares + number, share(segment, number));
  }
  Blocks sum(std::int64_t segment, int number) const {
    return place(places() * shares + segment % sums(), share(segment, number));
  }

  void bring(int me, std::int64_t segment, Round& round) const {
    for (int other = 0; other < shares; ++other) {
      if (other == me) continue;
      const Blocks own = in(Buffer::send, share(segment, other));
      round.steps.push_back(copy(own, brought(segment, other)));
    }
    tell_others(me, size, round);
    hear_from(me, 0, size, round);
  }

  void fold(int me, std::int64_t segment, Round& round) const {
    const Range mine = share(segment, me);
    const Blocks into = me == 0 ? in(Buffer::work, mine) : sum(segment, me);
    round.steps.push_back(copy(in(Buffer::send, mine), into));
    for (int other = 0; other < size; ++other) {
      if (other != me) round.steps.push_back(reduce(brought(segment, me), into, other));
    }
    if (me > 0) round.steps.push_back(send(shared_written, 0));
    if (me == 0) hear_from(0, 1, shares, round);
  }

  void collect(std::int64_t segment, Round& round) const {
    for (int other = 1; other < shares; ++other) {
      const Blocks collected = in(Buffer::work, share(segment, other));
      round.steps.push_back(copy(sum(segment, other), collected, other));
    }
  }
};

}  // namespace

Schedule fold_segments(int size, int shares, std::int64_t segments) {
  const SegmentFold fold{size, shares, segments};
  Schedule schedule = segments_over(size, segments + 2);
  schedule.pieces = segments * shares;
  schedule.shared = fold.slots();
  schedule.work = true;
  schedule.function = [=](int me, std::int64_t i, Round& round) {
    if (i > 1 && me == 0) fold.collect(i - 2, round);
    if (i > 0 && i <= segments && me < shares) fold.fold(me, i - 1, round);
    if (i < segments) fold.bring(me, i, round);
  };
  return schedule;
}

Schedule subdivided(Schedule schedule, std::int64_t parts) {
  schedule.pieces *= parts;
  schedule.scratch *= parts;
  schedule.shared *= parts;
  schedule.function = [parts, function = std::move(schedule.function)](int me, std::int64_t i,
                                                                       Round& round) {
    function(me, i, round);
    const auto divide = [parts](Blocks& blocks) {
      blocks.first *= parts;
      blocks.count *= parts;
      if (blocks.piece >= 0) blocks.piece *= parts;
    };
    for (Step& step : round.steps) {
      divide(step.source);
      divide(step.target);
    }
  };
  return schedule;
}

}  // namespace suiro
