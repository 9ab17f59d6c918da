// SPDX-License-Identifier: BSD-3-Clause
// Node aware: ranks of a node that follow each other scan, the last ones of nodes scan what they
// have, and each gives its result to those of the next node, for whom it is what comes before.
#include "algorithms/scan/scan.hpp"

namespace suiro {

namespace {

/// What the last of a group has goes to the first of the next, and from it to the others but the
/// last, which has it already.
void hand_over(const Groups& groups, std::size_t group, std::size_t place, std::int64_t i,
               Round& round) {
  const Blocks before{Buffer::scratch, 0, 1, 0};
  const Blocks sum{Buffer::receive, 0, 1};
  const std::vector<int>& ranks = groups[group];
  const bool is_last = place + 1 == ranks.size();
  const bool gives = is_last && group + 1 < groups.size() && groups[group + 1].size() > 1;
  if (i == 0 && gives) round.steps.push_back(send(sum, groups[group + 1].front()));
  if (is_last || group == 0) return;
  if (i == 0 && place == 0) round.steps.push_back(receive(groups[group - 1].back(), before));
  if (i == 1 && place > 0) round.steps.push_back(receive(ranks.front(), before));
  for (std::size_t other = 1; i == 1 && place == 0 && other + 1 < ranks.size(); ++other) {
    round.steps.push_back(send(before, ranks[other]));
  }
  if (i == (place == 0 ? 1 : 2)) round.steps.push_back(reduce(before, sum));
}

Schedule over_runs(const Groups& groups) {
  if (groups.empty()) return doubling_scan(0);
  std::vector<int> lasts;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // group, and place in it, by rank
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t place = 0; place < groups[group].size(); ++place) {
      places.emplace_back(group, place);
    }
    lasts.push_back(groups[group].back());
  }
  Schedule handing;
  const auto ranks = static_cast<int>(places.size());
  handing.ranks = ranks;
  handing.rounds = 3;
  handing.scratch = 1;
  handing.function = [groups, places](int me, std::int64_t i, Round& round) {
    hand_over(groups, places[me].first, places[me].second, i, round);
  };
  const Schedule inside = within(groups, [](int, int size) { return doubling_scan(size); });
  std::vector<Part> parts;
  parts.push_back({.schedule = in_receive_buffer(doubling_scan(static_cast<int>(lasts.size()))),
                   .ranks = lasts});
  return sequence(sequence(inside, side_by_side(ranks, std::move(parts), 0)), std::move(handing));
}

Schedule node_aware(const Call& call, const Parameters&) {
  return over_runs(runs(call.topology, 0));
}

Schedule node_aware_but_first(const Call& call, const Parameters&) {
  return exclusive(over_runs(runs(call.topology, 1)));
}

Schedule build_scan_node_aware(const Call& call, const Parameters& parameters) {
  return named(scan_node_aware, call, parameters, node_aware(call, parameters));
}

Schedule build_exscan_node_aware(const Call& call, const Parameters& parameters) {
  return named(exscan_node_aware, call, parameters, node_aware_but_first(call, parameters));
}

}  // namespace

constinit const Algorithm scan_node_aware = {
    .collective = "scan",
    .name = "node_aware",
    .summary = "Ranks of a node scan, then the last of every node, which tell those of the next.",
    .source = "suiro",
    .cost_text =
        "ceil(log2 N) + 1 messages of M in time between nodes, where ranks are in the order of "
        "nodes; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_scan_node_aware,
};

constinit const Algorithm exscan_node_aware = {
    .collective = "exscan",
    .name = "node_aware",
    .summary = "Ranks of a node scan, then the last of every node, which tell those of the next.",
    .source = "suiro",
    .cost_text =
        "ceil(log2 N) + 1 messages of M in time between nodes, where ranks are in the order of "
        "nodes, and a message of M first; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::in_place>,
    .cost = nullptr,
    .build = build_exscan_node_aware,
};

Groups runs(const Topology& topology, int first) {
  Groups groups;
  for (int rank = first; rank < topology.ranks(); ++rank) {
    const bool same = rank > first && topology.node(rank) == topology.node(rank - 1);
    if (!same) groups.emplace_back();
    groups.back().push_back(rank - first);
  }
  return groups;
}

}  // namespace suiro
