// SPDX-License-Identifier: BSD-3-Clause
// The paper's extended Rabenseifner: every site reduces and scatters, counterparts exchange their
// parts and reduce them, n of them at a time, and every site gathers.
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/parts/sites.hpp"

namespace suiro {

namespace {

/// The drivers of each part reduce it among each other.
Schedule reduce_at_counterparts(const SiteParts& parts, int ranks) {
  const auto sites = static_cast<int>(parts.sites().size());
  std::vector<Part> all;
  for (int part = 0; part < parts.parts(); ++part) {
    std::vector<int> drivers;
    drivers.reserve(static_cast<std::size_t>(sites));
    for (int site = 0; site < sites; ++site) drivers.push_back(parts.driver(site, part));
    const Range range = parts.range(part);
    all.push_back({.schedule = in_receive_buffer(double_up(sites, range)), .ranks = drivers});
  }
  Schedule schedule = side_by_side(ranks, std::move(all), 0);
  schedule.pieces = parts.parts() * parts.pieces();
  return schedule;
}

Schedule build_allreduce_extended_rabenseifner(const Call& call, const Parameters& parameters) {
  const SiteParts parts(call, parameters);
  const Schedule far = parts.capped(reduce_at_counterparts(parts, call.topology.ranks()));
  return named(
      allreduce_extended_rabenseifner, call, parameters,
      sequence(sequence(parts.reduce_scatter(Sums::in_receive_buffer), far), parts.spread()));
}

}  // namespace

constinit const Algorithm allreduce_extended_rabenseifner = {
    .collective = "allreduce",
    .name = "extended_rabenseifner",
    .summary =
        "Sites reduce and scatter, counterparts reduce over the WAN, n at a time, sites gather.",
    .source = "GridMPI paper, 3.5 and figure 2",
    .cost_text = "L + M/(n B) + 2 M/B",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = having<Property::same_everywhere, Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_extended_rabenseifner,
    .for_sites = true,
};

}  // namespace suiro
