// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/compose.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace suiro {

Schedule named(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
               Schedule body) {
  body.collective = algorithm.collective;
  body.algorithm = algorithm.name;
  body.parameters = parameters;
  body.ranks = call.topology.ranks();
  body.root = find_collective(algorithm.collective)->rooted ? call.root : 0;
  return body;
}

namespace {

/// The more careful pace of both. A single round has none: nothing of it waits for another.
void take_pace(const Schedule& from, Schedule& to) {
  if (from.rounds <= 1) return;
  if (to.rounds <= 1) {
    to.window = from.window;
    to.receive_window = from.receive_window;
    to.lookahead = from.lookahead;
    return;
  }
  to.receive_window = std::min(to.receive_reach(), from.receive_reach());
  to.window = std::min(to.window, from.window);
  to.lookahead = std::min(to.lookahead, from.lookahead);
}

/// Where a rank of the whole is: in which part, and as which rank of it.
struct Seat {
  int part = -1;
  int rank = -1;
};

class SideBySide {
 public:
  SideBySide(int ranks, std::vector<Part> parts, std::int64_t scratch_at)
      : parts_(std::move(parts)), seats_(static_cast<std::size_t>(ranks)), scratch_at_(scratch_at) {
    for (int part = 0; part < static_cast<int>(parts_.size()); ++part) {
      const std::vector<int>& members = parts_[part].ranks;
      for (int rank = 0; rank < static_cast<int>(members.size()); ++rank) {
        seats_[members[rank]] = {part, rank};
      }
    }
  }

  void operator()(int me, std::int64_t index, Round& round) const {
    const Seat seat = seats_[me];
    if (seat.part < 0) return;
    const Part& part = parts_[seat.part];
    if (index >= part.schedule.rounds) return;
    part.schedule.function(seat.rank, index, round);
    for (Step& step : round.steps) place(part, me, step);
    std::erase_if(round.steps, [](const Step& step) {
      return step.action == Action::copy && step.peer < 0 && step.source == step.target;
    });
  }

 private:
  void place(const Part& part, int me, Step& step) const {
    if (step.peer >= 0) step.peer = part.ranks[step.peer];
    if (step.action != Action::receive) step.source = placed(part, me, step.source);
    if (step.action != Action::send) step.target = placed(part, me, step.target);
  }

  Blocks placed(const Part& part, int me, Blocks blocks) const {
    if (blocks.count == 0) return blocks;
    if (!is_slots(blocks.buffer)) return part.map ? part.map(me, blocks) : blocks;
    if (blocks.buffer == Buffer::scratch) blocks.first += scratch_at_;
    if (blocks.piece >= 0 && part.map) {
      const Blocks held = part.map(me, {Buffer::receive, blocks.piece, blocks.count});
      blocks.piece = is_slots(held.buffer) ? held.piece : held.first;
    }
    return blocks;
  }

  std::vector<Part> parts_;
  std::vector<Seat> seats_;
  std::int64_t scratch_at_;
};

}  // namespace

namespace {

std::vector<int> each_rank(int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

Schedule side_by_side(int ranks, std::vector<Part> parts, std::int64_t scratch_at) {
  Schedule whole = parts.front().schedule;
  whole.ranks = ranks;
  for (const Part& part : parts) {
    take_pace(part.schedule, whole);
    whole.rounds = std::max(whole.rounds, part.schedule.rounds);
    whole.scratch = std::max(whole.scratch, part.schedule.scratch);
    whole.work = whole.work || part.schedule.work;
    whole.shared = std::max(whole.shared, part.schedule.shared);
  }
  whole.scratch += scratch_at;
  const auto rounds = std::make_shared<const SideBySide>(ranks, std::move(parts), scratch_at);
  whole.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return whole;
}

Schedule relabelled(Schedule schedule, std::vector<int> order) {
  const auto ranks = static_cast<int>(order.size());
  std::vector<Part> parts;
  parts.push_back({.schedule = std::move(schedule), .ranks = std::move(order)});
  return side_by_side(ranks, std::move(parts), 0);
}

Schedule striped(std::vector<Schedule> shares) {
  Schedule whole;
  std::int64_t pieces = 0;
  for (Schedule& share : shares) {
    const int ranks = share.ranks;
    std::vector<Part> parts;
    parts.push_back({.schedule = std::move(share), .ranks = each_rank(ranks), .map = {}});
    parts.front().map = [pieces](int, Blocks blocks) {
      blocks.first += pieces;
      return blocks;
    };
    const std::int64_t own_pieces = parts.front().schedule.pieces;
    Schedule placed = side_by_side(ranks, std::move(parts), whole.scratch);
    whole = pieces == 0 ? std::move(placed) : overlapped(std::move(whole), std::move(placed), 0);
    pieces += own_pieces;
  }
  whole.pieces = pieces;
  return whole;
}

Schedule sequence(Schedule first, Schedule second) {
  Schedule whole = first;
  take_pace(second, whole);
  const std::int64_t border = first.rounds;
  const std::int64_t begin = border + whole.lookahead;
  whole.rounds = begin + second.rounds;
  whole.scratch = std::max(first.scratch, second.scratch);
  whole.pieces = std::max(first.pieces, second.pieces);
  whole.work = first.work || second.work;
  whole.shared = std::max(first.shared, second.shared);
  whole.function = [=, first = std::move(first.function), second = std::move(second.function)](
                       int me, std::int64_t i, Round& round) {
    if (i < border) return first(me, i, round);
    if (i >= begin) second(me, i - begin, round);
    if (i == border) round.fence = true;
  };
  return whole;
}

Schedule delayed(Schedule schedule, const std::function<std::int64_t(int rank)>& delay) {
  std::int64_t most = 0;
  for (int rank = 0; rank < schedule.ranks; ++rank) most = std::max(most, delay(rank));
  schedule.function = [delay, rounds = schedule.rounds, function = std::move(schedule.function)](
                          int me, std::int64_t i, Round& round) {
    const std::int64_t own = i - delay(me);
    if (own >= 0 && own < rounds) function(me, own, round);
  };
  schedule.rounds += most;
  return schedule;
}

Schedule overlapped(Schedule first, Schedule second, std::int64_t delay) {
  Schedule whole = first;
  take_pace(second, whole);
  whole.rounds = std::max(first.rounds, second.rounds + delay);
  whole.scratch = std::max(first.scratch, second.scratch);
  whole.pieces = std::max(first.pieces, second.pieces);
  whole.work = first.work || second.work;
  whole.shared = std::max(first.shared, second.shared);
  whole.function = [=, ours = first.rounds, theirs = second.rounds,
                    first = std::move(first.function),
                    second = std::move(second.function)](int me, std::int64_t i, Round& round) {
    if (i < ours) first(me, i, round);
    if (i < delay || i - delay >= theirs) return;
    Round more;
    second(me, i - delay, more);
    round.fence = round.fence || more.fence;
    round.steps.insert(round.steps.end(), more.steps.begin(), more.steps.end());
  };
  return whole;
}

namespace {

int ranks_in(const Groups& groups) {
  std::size_t ranks = 0;
  for (const std::vector<int>& group : groups) ranks += group.size();
  return static_cast<int>(ranks);
}

}  // namespace

Schedule in_receive_buffer(Schedule schedule) {
  const auto held = [](int, Blocks blocks) {
    blocks.buffer = Buffer::receive;
    return blocks;
  };
  const int ranks = schedule.ranks;
  std::vector<Part> parts;
  parts.push_back({.schedule = std::move(schedule), .ranks = each_rank(ranks), .map = held});
  return side_by_side(ranks, std::move(parts), 0);
}

Schedule without_payload(Schedule schedule) {
  schedule.pieces = 1;
  schedule.scratch = 0;
  schedule.shared = 0;
  schedule.function = [messages = std::move(schedule.function)](int me, std::int64_t i,
                                                                Round& round) {
    messages(me, i, round);
    std::erase_if(round.steps, [](const Step& step) { return is_local(step); });
    for (Step& step : round.steps) {
      (step.action == Action::send ? step.source : step.target) = no_blocks;
    }
  };
  return schedule;
}

Schedule within(const Groups& groups, const std::function<Schedule(int group, int size)>& build,
                const BlockMap& map, std::int64_t scratch_at) {
  std::vector<Part> parts;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto size = static_cast<int>(groups[group].size());
    parts.push_back(
        {.schedule = build(static_cast<int>(group), size), .ranks = groups[group], .map = map});
  }
  return side_by_side(ranks_in(groups), std::move(parts), scratch_at);
}

Part among(const Groups& groups, std::size_t place, Schedule schedule, BlockMap map) {
  std::vector<int> ranks;
  for (const std::vector<int>& group : groups) ranks.push_back(group[place]);
  return {.schedule = std::move(schedule), .ranks = std::move(ranks), .map = std::move(map)};
}

Schedule across(const Groups& groups, Schedule schedule, BlockMap map, std::int64_t scratch_at) {
  std::vector<Part> parts;
  parts.push_back(among(groups, 0, std::move(schedule), std::move(map)));
  return side_by_side(ranks_in(groups), std::move(parts), scratch_at);
}

Groups nodes_from(const Topology& topology, int first) {
  Groups groups;
  const int begin = topology.node(first);
  for (int away = 0; away < topology.sites(); ++away) {
    const int site = (topology.site(begin) + away) % topology.sites();
    for (int i = 0; i < topology.nodes(); ++i) {
      const int node = (begin + i) % topology.nodes();
      if (topology.site(node) != site) continue;
      const auto ranks = topology.ranks_of(node);
      groups.emplace_back(ranks.begin(), ranks.end());
    }
  }
  const auto found = std::ranges::find(groups.front(), first);
  std::rotate(groups.front().begin(), found, found + 1);
  return groups;
}

Groups sites_from(const Topology& topology, int first) {
  Groups sites;
  int last = -1;
  for (const std::vector<int>& node : nodes_from(topology, first)) {
    const int site = topology.site(topology.node(node.front()));
    if (site != last) sites.emplace_back();
    last = site;
    sites.back().insert(sites.back().end(), node.begin(), node.end());
  }
  return sites;
}

Groups numbered(const Groups& groups) {
  Groups places;
  int next = 0;
  for (const std::vector<int>& group : groups) {
    std::vector<int>& place = places.emplace_back(group.size());
    std::iota(place.begin(), place.end(), next);
    next += static_cast<int>(group.size());
  }
  return places;
}

Schedule in_turns(Schedule schedule, const Groups& lines, int at_once) {
  struct Turn {
    int after = -1;
    int before = -1;
  };
  std::vector<Turn> turns(static_cast<std::size_t>(schedule.ranks));
  for (const std::vector<int>& line : lines) {
    for (std::size_t i = static_cast<std::size_t>(at_once); i < line.size(); ++i) {
      const int earlier = line[i - static_cast<std::size_t>(at_once)];
      turns[line[i]].after = earlier;
      turns[earlier].before = line[i];
    }
  }
  const std::int64_t rounds = schedule.rounds;
  schedule.rounds = rounds + 2;
  schedule.function = [turns, rounds, function = std::move(schedule.function)](
                          int me, std::int64_t i, Round& round) {
    const Turn& turn = turns[me];
    if (i == 0 && turn.after >= 0) round.steps.push_back(receive(turn.after, no_blocks));
    if (i > 0 && i <= rounds) function(me, i - 1, round);
    if (i == 1 && turn.after >= 0) round.fence = true;
    if (i <= rounds || turn.before < 0) return;
    round.fence = true;
    round.steps.push_back(send(no_blocks, turn.before));
  };
  return schedule;
}

std::vector<int> node_order(const Topology& topology, int first) {
  std::vector<int> order;
  for (const std::vector<int>& ranks : nodes_from(topology, first)) {
    order.insert(order.end(), ranks.begin(), ranks.end());
  }
  return order;
}

}  // namespace suiro
