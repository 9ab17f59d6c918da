// SPDX-License-Identifier: BSD-3-Clause
// Half of the paper's extended Rabenseifner: every site reduces and scatters, counterparts give
// their parts to those of the root's site, n of them at a time, and the root gathers.
#include "algorithms/parts/sites.hpp"
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

/// Every part to its driver at the root's site, from one site after the other.
Schedule give_to_counterparts(const SiteParts& parts, int ranks) {
  Schedule schedule;
  schedule.ranks = ranks;
  schedule.pieces = parts.parts() * parts.pieces();
  const auto others = static_cast<std::int64_t>(parts.sites().size()) - 1;
  schedule.rounds = others + 1;
  schedule.scratch = 2 * parts.pieces();
  schedule.function = [parts, others](int me, std::int64_t i, Round& round) {
    for (int part = 0; part < parts.parts(); ++part) {
      const Range range = parts.range(part);
      const auto arriving = [&](std::int64_t from) {
        return Blocks{Buffer::scratch, from % 2 * range.count, range.count, range.first};
      };
      const Blocks sum{Buffer::work, range.first, range.count};
      const int near = parts.driver(0, part);
      if (me == near && i > 0) round.steps.push_back(reduce(arriving(i - 1), sum));
      if (i == others) continue;
      const int far = parts.driver(static_cast<int>(i) + 1, part);
      if (me == near) round.steps.push_back(receive(far, arriving(i)));
      if (me == far) round.steps.push_back(send(sum, near));
    }
  };
  return schedule;
}

Schedule build_reduce_extended_rabenseifner(const Call& call, const Parameters& parameters) {
  const SiteParts parts(call, parameters);
  const std::vector<int>& own_site = parts.sites().front();
  Schedule gather = only_at(parts.gather(Buffer::work), own_site);
  // The root drives the first part itself, which it has in its work buffer.
  gather.function = [own = parts.range(0), root = call.root, function = gather.function](
                        int me, std::int64_t i, Round& round) {
    function(me, i, round);
    if (me != root) return;
    round.steps.push_back(
        copy({Buffer::work, own.first, own.count}, {Buffer::receive, own.first, own.count}));
  };
  const Schedule far = parts.capped(give_to_counterparts(parts, call.topology.ranks()));
  return named(reduce_extended_rabenseifner, call, parameters,
               sequence(sequence(parts.reduce_scatter(Sums::in_work_buffer), far), gather));
}

}  // namespace

constinit const Algorithm reduce_extended_rabenseifner = {
    .collective = "reduce",
    .name = "extended_rabenseifner",
    .summary =
        "Sites reduce and scatter, counterparts give to the root's site, n at a time, the root "
        "gathers.",
    .source = "GridMPI paper, 3.8",
    .cost_text = "L + M/(n B) + 2 M/B",
    .parameters = taking<segment_spec, at_once_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_reduce_extended_rabenseifner,
    .for_sites = true,
};

}  // namespace suiro
