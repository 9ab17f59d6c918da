// SPDX-License-Identifier: BSD-3-Clause
// Counterparts first: every rank sends its block to its counterpart at every other site, n of them
// at a time, while its own site gathers; what has come from afar is gathered at each site last.
#include <algorithm>

#include "algorithms/allgather/allgather.hpp"
#include "algorithms/sites.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec, at_once_spec};

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

/// Each sends its block in round 0; what comes is received in round `late`, when others of the site
/// are done with their own.
Schedule exchange(const Groups& turns, int ranks, std::int64_t pieces, std::int64_t late) {
  struct Far {
    std::vector<int> to;
    std::vector<int> from;
  };
  std::vector<Far> far(static_cast<std::size_t>(ranks));
  for (const std::vector<int>& line : turns) {
    for (const std::vector<int>& other : turns) {
      if (&line == &other) continue;
      for (std::size_t at = 0; at < line.size(); ++at) {
        far[line[at]].to.push_back(other[at % other.size()]);
        far[other[at % other.size()]].from.push_back(line[at]);
      }
    }
  }
  Schedule schedule;
  schedule.ranks = ranks;
  schedule.rounds = late + 1;
  schedule.window = late + 1;
  schedule.function = [far, pieces, late](int me, std::int64_t i, Round& round) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const auto of = [&](int rank) { return Blocks{Buffer::receive, rank * pieces + piece, 1}; };
      for (const int from : far[me].from) {
        if (i == late) round.steps.push_back(receive(from, of(from)));
      }
      for (const int to : far[me].to) {
        if (i == 0) round.steps.push_back(send(of(me), to));
      }
    }
  };
  return schedule;
}

Schedule build_counterparts(const Call& call, const Parameters& parameters) {
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
    .parameters = parameters_taken,
    .properties = {},
    .cost = nullptr,
    .build = build_counterparts,
};

Schedule gather_by_counterparts(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const Groups sites = sites_from(topology, 0);
  const Groups turns = turns_at_sites(topology, 0);
  const std::int64_t pieces = ring_pieces(call.bytes, 1, call, parameters);
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
    const std::int64_t late = std::max<std::int64_t>(near.rounds, 1);
    const Schedule far = in_turns(exchange(turns, topology.ranks(), pieces, late), turns,
                                  at_once(topology, parameters));
    whole = sequence(overlapped(near, far, 0), spread_at_sites(false));
  }
  whole.pieces = pieces;
  return whole;
}

}  // namespace suiro
