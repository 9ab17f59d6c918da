// SPDX-License-Identifier: BSD-3-Clause
// Counterparts receive for the root: ranks of other sites send to ranks of the root's site, all at
// once, while the root takes the blocks of its own site, and then what has come from afar. The
// root's node has no part in what crosses the WAN, and its port is never flooded.
#include <algorithm>

#include "algorithms/gather/gather.hpp"
#include "algorithms/parts/sites.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec gather_counterparts_parameters[] = {
    {.name = "cap",
     .minimum = 1,
     .maximum = 1024,
     .fallback = 4,
     .meaning = "blocks on the way to the root at a time"}};

/// Whose block the root gets, and from whom, who keeps it in that place until then.
struct Pull {
  int origin;
  int sender;
  std::int64_t kept = 0;
};

std::vector<Pull> turns_to_root(const Topology& topology, int root) {
  const Groups sites = turns_at_sites(topology, root);
  std::vector<Pull> turns;
  std::vector<int> helpers;
  for (const int rank : sites.front()) {
    if (rank != root) turns.push_back({rank, rank});
    if (topology.node(rank) != topology.node(root)) helpers.push_back(rank);
  }
  std::size_t next = 0;
  for (std::size_t site = 1; site < sites.size(); ++site) {
    for (const int rank : sites[site]) {
      if (helpers.empty()) {
        turns.push_back({rank, rank});
        continue;
      }
      const auto kept = static_cast<std::int64_t>(next / helpers.size());
      turns.push_back({rank, helpers[next++ % helpers.size()], kept});
    }
  }
  return turns;
}

Schedule build_gather_counterparts(const Call& call, const Parameters& parameters) {
  const std::vector<Pull> turns = turns_to_root(call.topology, call.root);
  const auto count = static_cast<std::int64_t>(turns.size());
  Schedule schedule;
  schedule.rounds = count + 1;
  schedule.window = parameters.at("cap");
  schedule.lookahead = count;
  for (const Pull& turn : turns) {
    if (turn.origin != turn.sender) schedule.scratch = std::max(schedule.scratch, turn.kept + 1);
  }
  schedule.function = [turns, count, root = call.root](int me, std::int64_t i, Round& round) {
    const Blocks own{Buffer::send, 0, 1};
    if (me == root && i == 0) round.steps.push_back(copy(own, {Buffer::receive, root, 1}));
    const auto held = [&](const Pull& turn) {
      return turn.origin == turn.sender ? own : Blocks{Buffer::scratch, turn.kept, 1, turn.origin};
    };
    if (i > 0 && me == turns[i - 1].sender) {
      round.fence = true;
      round.steps.push_back(send(held(turns[i - 1]), root));
    }
    if (i == 0) {
      for (const Pull& turn : turns) {
        if (me == turn.origin && me != turn.sender) round.steps.push_back(send(own, turn.sender));
      }
    }
    if (i == count) return;
    const Pull& next = turns[i];
    if (me == root) {
      round.steps.push_back(receive(next.sender, {Buffer::receive, next.origin, 1}));
      round.steps.push_back(send(no_blocks, next.sender));
    } else if (me == next.sender) {
      round.steps.push_back(receive(root, no_blocks));
      if (next.origin != me) round.steps.push_back(receive(next.origin, held(next)));
    }
  };
  return named(gather_counterparts, call, parameters, std::move(schedule));
}

}  // namespace

constinit const Algorithm gather_counterparts = {
    .collective = "gather",
    .name = "counterparts",
    .summary =
        "Ranks of other sites send to ranks of the root's, which send to the root, `cap` at a "
        "time.",
    .source = "GridMPI paper, 3.10 and 4.4: the root's node is left out between sites",
    .cost_text = "L + (P - a) M through the root's port",
    .parameters = gather_counterparts_parameters,
    .properties = {},
    .cost = nullptr,
    .build = build_gather_counterparts,
    .for_sites = true,
};

}  // namespace suiro
