// SPDX-License-Identifier: BSD-3-Clause
// Shared memory: ranks of a node that follow each other publish what they have. Some of them, each
// for a share of the vector, add up what the others published, one rank after the other. They
// exchange the sums of nodes, and publish all. One such rank serves short vectors, all long ones.
#include <algorithm>

#include "algorithms/parts/lanes.hpp"
#include "algorithms/scan/scan.hpp"

namespace suiro {

namespace {

/// Of a run of `size` ranks, of which the first `shares` add up.
struct RunInMemory {
  int size;
  int shares;
  bool is_first = false;
  bool is_exclusive = false;

  // What a rank shares: its own vector; the sum before this run; the sums up to each of its ranks.
  static Blocks own(int share) { return {Buffer::shared, share, 1, share}; }
  Blocks before(int share) const { return {Buffer::shared, shares, 1, share}; }
  Blocks up_to(int rank, int share) const { return {Buffer::shared, shares + 1 + rank, 1, share}; }

  Schedule over(RoundFunction function) const {
    Schedule schedule;
    schedule.ranks = size;
    schedule.rounds = 2;
    schedule.pieces = shares;
    schedule.shared = shares + 1 + size;
    schedule.function = std::move(function);
    return schedule;
  }

  Schedule add_up() const {
    return over([its = *this](int me, std::int64_t i, Round& round) {
      if (i == 0) {
        its.publish_own(me, round);
      } else if (me < its.shares) {
        its.add_up_share(me, round);
      }
    });
  }

  Schedule take_out() const {
    return over([its = *this](int me, std::int64_t i, Round& round) {
      if (i == 0) {
        its.publish_sums(me, round);
        return;
      }
      for (int share = 0; share < its.shares; ++share) its.take_out_share(me, share, round);
    });
  }

 private:
  /// Nothing is before the first of all.
  bool takes(int rank) const { return rank > 0 || !is_first || !is_exclusive; }

  void publish_own(int me, Round& round) const {
    for (int share = 0; share < shares; ++share) {
      const Blocks target = share == me ? up_to(me, share) : own(share);
      round.steps.push_back(copy({Buffer::send, share, 1}, target));
    }
    for (int other = 0; other < size; ++other) {
      if (other == me) continue;
      if (other < shares) round.steps.push_back(send(shared_written, other));
      if (me < shares) round.steps.push_back(receive(other, shared_written));
    }
  }

  void add_up_share(int me, Round& round) const {
    for (int rank = 0; rank < size; ++rank) {
      if (rank != me) round.steps.push_back(copy(own(me), up_to(rank, me), rank));
      if (rank > 0) round.steps.push_back(reduce(up_to(rank - 1, me), up_to(rank, me)));
    }
  }

  void publish_sums(int me, Round& round) const {
    for (int other = 0; other < size; ++other) {
      if (other == me) continue;
      if (me < shares && takes(other)) round.steps.push_back(send(shared_written, other));
      if (other < shares && takes(me)) round.steps.push_back(receive(other, shared_written));
    }
  }

  void take_out_share(int me, int share, Round& round) const {
    const Blocks result{Buffer::receive, share, 1};
    const int owner = share == me ? -1 : share;
    const int last = is_exclusive ? me - 1 : me;
    if (last >= 0) round.steps.push_back(copy(up_to(last, share), result, owner));
    if (is_first) return;
    round.steps.push_back(last >= 0 ? reduce(before(share), result, owner)
                                    : copy(before(share), result, owner));
  }
};

/// For each share, among the ranks of all runs that added it up.
Schedule between_runs(const Groups& groups, int shares) {
  const auto size = static_cast<int>(groups.size());
  std::vector<Part> parts;
  std::size_t ranks = 0;
  for (const std::vector<int>& run : groups) ranks += run.size();
  std::vector<int> run_size(ranks);
  for (const std::vector<int>& run : groups) {
    for (const int rank : run) run_size[rank] = static_cast<int>(run.size());
  }
  for (int share = 0; share < shares; ++share) {
    const auto place = [=](int rank, const Blocks& blocks) {
      const RunInMemory its{.size = run_size[rank], .shares = shares};
      return blocks.buffer == Buffer::send ? its.up_to(its.size - 1, share) : its.before(share);
    };
    parts.push_back(among(groups, static_cast<std::size_t>(share), butterfly(size, true), place));
  }
  Schedule all = side_by_side(static_cast<int>(ranks), std::move(parts), 0);
  all.pieces = shares;
  return all;
}

Schedule in_memory(const Call& call, bool by_all, bool is_exclusive) {
  const Groups groups = runs(call.topology, 0);
  const int shares = by_all ? lanes_of(groups) : 1;
  const auto run = [&](int group, int size) {
    return RunInMemory{size, shares, group == 0, is_exclusive};
  };
  const Schedule add_up = within(groups, [&](int g, int size) { return run(g, size).add_up(); });
  const Schedule take_out =
      within(groups, [&](int g, int size) { return run(g, size).take_out(); });
  if (groups.size() == 1) return sequence(add_up, take_out);
  return sequence(sequence(add_up, between_runs(groups, shares)), take_out);
}

Schedule build_scan_shared_leader(const Call& call, const Parameters& parameters) {
  return named(scan_shared_leader, call, parameters, in_memory(call, false, false));
}

Schedule build_scan_shared_lanes(const Call& call, const Parameters& parameters) {
  return named(scan_shared_lanes, call, parameters, in_memory(call, true, false));
}

Schedule build_exscan_shared_leader(const Call& call, const Parameters& parameters) {
  return named(exscan_shared_leader, call, parameters, in_memory(call, false, true));
}

Schedule build_exscan_shared_lanes(const Call& call, const Parameters& parameters) {
  return named(exscan_shared_lanes, call, parameters, in_memory(call, true, true));
}

constexpr std::string_view leader_summary =
    "One rank per node adds up in shared memory what its node has, and exchanges sums.";
constexpr std::string_view lanes_summary =
    "Every rank adds up its share of its node's shared memory, and exchanges sums of it.";
constexpr std::string_view leader_cost =
    "log2 N messages of M in time, where ranks are in the order of nodes; a reductions, then one; "
    "shared (a + 2) M";
constexpr std::string_view lanes_cost =
    "log2 N steps of a messages of M/a in time, where ranks are in the order of nodes; 2 "
    "reductions of M; shared (2 + 1/a) M";

}  // namespace

constinit const Algorithm scan_shared_leader = {
    .collective = "scan",
    .name = "shared_leader",
    .summary = leader_summary,
    .source = "suiro",
    .cost_text = leader_cost,
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_scan_shared_leader,
    .in_shared_memory = true,
};

constinit const Algorithm scan_shared_lanes = {
    .collective = "scan",
    .name = "shared_lanes",
    .summary = lanes_summary,
    .source = "suiro",
    .cost_text = lanes_cost,
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_scan_shared_lanes,
    .in_shared_memory = true,
};

constinit const Algorithm exscan_shared_leader = {
    .collective = "exscan",
    .name = "shared_leader",
    .summary = leader_summary,
    .source = "suiro",
    .cost_text = leader_cost,
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_exscan_shared_leader,
    .in_shared_memory = true,
};

constinit const Algorithm exscan_shared_lanes = {
    .collective = "exscan",
    .name = "shared_lanes",
    .summary = lanes_summary,
    .source = "suiro",
    .cost_text = lanes_cost,
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_exscan_shared_lanes,
    .in_shared_memory = true,
};

}  // namespace suiro
