// SPDX-License-Identifier: BSD-3-Clause
// The paper's twotier: every site reduces to one rank, these reduce among each other, and each
// scatters at its site, where the parts are gathered for all.
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/parts/sites.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_twotier(const Call& call, const Parameters& parameters) {
  const SiteParts parts(call, parameters);
  if (parts.sites().size() == 1) {
    return named(allreduce_twotier, call, parameters,
                 sequence(parts.reduce_scatter(Sums::in_receive_buffer), parts.spread()));
  }
  std::vector<int> firsts;
  for (const std::vector<int>& site : parts.sites()) firsts.push_back(site.front());
  const Range all{0, parts.parts() * parts.pieces()};
  std::vector<Part> between;
  between.push_back({.schedule = in_receive_buffer(double_up(static_cast<int>(firsts.size()), all)),
                     .ranks = firsts});
  Schedule far = side_by_side(call.topology.ranks(), std::move(between), 0);
  far.pieces = all.count;
  const Schedule near =
      sequence(parts.reduce_scatter(Sums::in_receive_buffer), parts.gather(Buffer::receive));
  const Schedule back = spared(sequence(parts.scatter(), parts.spread()), firsts, Buffer::receive);
  return named(allreduce_twotier, call, parameters, sequence(sequence(near, far), back));
}

}  // namespace

constinit const Algorithm allreduce_twotier = {
    .collective = "allreduce",
    .name = "twotier",
    .summary =
        "Sites reduce to one rank each, these reduce over the WAN, sites scatter and gather.",
    .source = "GridMPI paper, 3.6: what other MPIs for grids do",
    .cost_text = "L + M/B + 4 M/B",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = having<Property::same_everywhere, Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_twotier,
    .for_sites = true,
};

}  // namespace suiro
