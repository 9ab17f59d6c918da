// SPDX-License-Identifier: BSD-3-Clause
// The paper's extended van de Geijn: the root scatters at its site, every rank sends its part to
// the counterparts at other sites, n of them at a time, and at each site the parts are gathered for
// all.
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/parts/sites.hpp"

namespace suiro {

namespace {

Schedule copy_to_counterparts(const SiteParts& parts) {
  Schedule schedule;
  for (const std::vector<int>& site : parts.sites())
    schedule.ranks += static_cast<int>(site.size());
  schedule.pieces = parts.parts() * parts.pieces();
  schedule.rounds = 1;
  schedule.function = [parts](int me, std::int64_t, Round& round) {
    for (int part = 0; part < parts.parts(); ++part) {
      const Range range = parts.range(part);
      const int from = parts.driver(0, part);
      for (int site = 1; site < std::ssize(parts.sites()); ++site) {
        const int to = parts.driver(site, part);
        for (std::int64_t piece = range.first; piece < range.first + range.count; ++piece) {
          const Blocks blocks{Buffer::receive, piece, 1};
          if (me == from) round.steps.push_back(send(blocks, to));
          if (me == to) round.steps.push_back(receive(from, blocks));
        }
      }
    }
  };
  return schedule;
}

Schedule build_bcast_extended_van_de_geijn(const Call& call, const Parameters& parameters) {
  const std::vector<int> own_site = sites_from(call.topology, call.root).front();
  const SiteParts parts(call, parameters, static_cast<int>(own_site.size()));
  const Schedule scatter = only_at(parts.scatter(), own_site);
  const Schedule whole = sequence(
      sequence(scatter, parts.capped(copy_to_counterparts(parts), SiteParts::Senders::at_root)),
      parts.spread());
  return named(bcast_extended_van_de_geijn, call, parameters,
               spared(whole, {call.root}, Buffer::send));
}

}  // namespace

constinit const Algorithm bcast_extended_van_de_geijn = {
    .collective = "bcast",
    .name = "extended_van_de_geijn",
    .summary =
        "The root scatters at its site, counterparts copy over the WAN, n at a time, sites gather.",
    .source = "GridMPI paper, 3.3 and figure 1",
    .cost_text = "L + M/(n B) + 2 M/B",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_extended_van_de_geijn,
    .for_sites = true,
};

}  // namespace suiro
