// SPDX-License-Identifier: BSD-3-Clause
// Counterparts first: every rank sends its block to its counterpart at every other site, n of them
// at a time, while its own site gathers; what has come from afar is gathered at each site last.
#include <algorithm>

#include "algorithms/allgather/allgather.hpp"
#include "algorithms/parts/sites.hpp"

namespace suiro {

namespace {

/// Blocks that begin with the ranks of a site, or that counterparts elsewhere sent to them.
Owned brought(const Groups& turns, int site, const std::vector<int>& members, bool own) {
  return [=](int place) {
    const std::vector<int>& line = turns[site];
    const auto at = std::ranges::find(line, members[place]) - line.begin();
    std::vector<int> blocks;
    if (own) blocks.push_back(members[place]);
    for (int other = 0; other < std::ssize(turns) && !own; ++other) {
      if (other == site) continue;
      for (auto from = static_cast<std::size_t>(at); from < turns[other].size();
           from += line.size()) {
        blocks.push_back(turns[other][from]);
      }
    }
    return blocks;
  };
}

/// Each rank sends its block piece by piece, from a round on that is later for those who are not
/// among the first n of their site, so that all are sent by round `late`. What comes is received
/// from then on.
Schedule exchange(const Groups& turns, int at_once, std::int64_t pieces, std::int64_t late) {
  struct Far {
    std::int64_t begin = 0;
    std::vector<int> to;
    std::vector<int> from;
  };
  int ranks = 0;
  for (const std::vector<int>& line : turns) ranks += static_cast<int>(line.size());
  std::vector<Far> far(static_cast<std::size_t>(ranks));
  for (const std::vector<int>& line : turns) {
    const auto size = static_cast<std::int64_t>(line.size());
    const std::int64_t groups = (size + at_once - 1) / at_once;
    for (std::int64_t at = 0; at < size; ++at) {
      far[line[at]].begin = at / at_once * std::max<std::int64_t>(late - pieces, 0) / groups;
      for (const std::vector<int>& other : turns) {
        if (&line == &other) continue;
        const int to = other[static_cast<std::size_t>(at) % other.size()];
        far[line[at]].to.push_back(to);
        far[to].from.push_back(line[at]);
      }
    }
  }
  Schedule schedule;
  schedule.ranks = ranks;
  schedule.rounds = late + pieces;
  schedule.function = [far, pieces, late](int me, std::int64_t i, Round& round) {
    const auto piece = [&](int of, std::int64_t at) {
      return Blocks{Buffer::receive, of * pieces + at, 1};
    };
    const std::int64_t out = i - far[me].begin;
    for (const int from : far[me].from) {
      if (i >= late) round.steps.push_back(receive(from, piece(from, i - late)));
    }
    for (const int to : far[me].to) {
      if (out >= 0 && out < pieces) round.steps.push_back(send(piece(me, out), to));
    }
  };
  return schedule;
}

Schedule build_allgather_counterparts(const Call& call, const Parameters& parameters) {
  return named(allgather_counterparts, call, parameters, gather_by_counterparts(call, parameters));
}

}  // namespace

constinit const Algorithm allgather_counterparts = {
    .collective = "allgather",
    .name = "counterparts",
    .summary =
        "Ranks send to counterparts at other sites, n at a time, and sites gather what came.",
    .source = "GridMPI paper, 3.8",
    .cost_text = "L + M/(n B) + the time of lanes at each site",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_allgather_counterparts,
    .for_sites = true,
};

Schedule gather_by_counterparts(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const Groups sites = sites_from(topology, 0);
  const Groups turns = turns_at_sites(topology, 0);
  const std::int64_t kept = kept_for_node(topology);  // reversed, it is reduce_scatter
  const std::int64_t pieces = ring_pieces(call.bytes, 1, call, parameters, kept);
  const auto spread_at_sites = [&](bool own) {
    const auto at_site = [&](int site, int) {
      return spread(nodes_at(topology, sites[site]), brought(turns, site, sites[site], own),
                    pieces);
    };
    return within(sites, at_site);
  };
  const Schedule near = overlapped(own_block(topology.ranks(), pieces), spread_at_sites(true), 0);
  Schedule whole = near;
  if (sites.size() > 1) {
    // What comes from afar is waited for only when the rank's own site is done, and that no rank
    // waits for another site to come so far, all that it may bring is asked for at the begin.
    const std::int64_t late = std::max(near.rounds, pieces);
    Schedule far = exchange(turns, at_once(topology, parameters), pieces, late);
    far.window = far.lookahead = far.rounds;
    far.receive_window = near.rounds > 1 ? near.receive_reach() : 1;
    Schedule both = overlapped(near, far, 0);
    both.window = both.lookahead = both.rounds;
    const Schedule last = spread_at_sites(false);
    whole = overlapped(both, last, both.rounds + both.receive_reach());
    whole.window = whole.lookahead = both.rounds;
  }
  whole.pieces = pieces;
  return whole;
}

}  // namespace suiro
