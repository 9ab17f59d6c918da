// SPDX-License-Identifier: BSD-3-Clause
// The paper's farfirst: the root sends all to one rank of every other site, and at each site that
// one scatters and the parts are gathered for all.
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/parts/sites.hpp"

namespace suiro {

namespace {

Schedule build_bcast_farfirst(const Call& call, const Parameters& parameters) {
  const SiteParts parts(call, parameters);
  std::vector<int> firsts;
  for (const std::vector<int>& site : parts.sites()) firsts.push_back(site.front());
  Schedule far;
  far.ranks = call.topology.ranks();
  far.pieces = parts.parts() * parts.pieces();
  far.rounds = 1;
  far.function = [firsts, pieces = far.pieces](int me, std::int64_t, Round& round) {
    const Blocks all{Buffer::receive, 0, pieces};
    for (std::size_t site = 1; site < firsts.size(); ++site) {
      if (me == firsts[0]) round.steps.push_back(send(all, firsts[site]));
      if (me == firsts[site]) round.steps.push_back(receive(firsts[0], all));
    }
  };
  const std::vector<int> others(firsts.begin() + 1, firsts.end());
  const Schedule inside =
      spared(sequence(parts.scatter(), parts.spread()), others, Buffer::receive);
  return named(bcast_farfirst, call, parameters,
               spared(sequence(far, inside), {call.root}, Buffer::send));
}

}  // namespace

constinit const Algorithm bcast_farfirst = {
    .collective = "bcast",
    .name = "farfirst",
    .summary =
        "The root sends all to one rank of every other site; each site scatters and gathers.",
    .source = "GridMPI paper, 3.4: what other MPIs for grids do",
    .cost_text = "L + M/B + 2 M/B",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_farfirst,
    .for_sites = true,
};

}  // namespace suiro
