// SPDX-License-Identifier: BSD-3-Clause
// Site leaders: up a tree of nodes of every site to its first rank, which tell each other, and down
// again, so that the way between sites is gone once.
#include "algorithms/barrier/barrier.hpp"
#include "algorithms/parts/gathering.hpp"

namespace suiro {

namespace {

Schedule build_barrier_site_leader(const Call& call, const Parameters& parameters) {
  const Groups sites = sites_from(call.topology, 0);
  const auto come = [](int, int size) {
    return without_payload(reduce_up(knomial_tree(size, 2), 1, Operands::any));
  };
  const auto leave = [](int, int size) {
    return without_payload(send_down(knomial_tree(size, 2), 1));
  };
  Schedule far;
  far.ranks = static_cast<int>(sites.size());
  far.rounds = 1;
  far.function = [size = far.ranks](int me, std::int64_t, Round& round) {
    for (int other = 0; other < size; ++other) {
      if (other == me) continue;
      round.steps.push_back(receive(other, no_blocks));
      round.steps.push_back(send(no_blocks, other));
    }
  };
  return named(barrier_site_leader, call, parameters,
               sequence(sequence(within(sites, come), across(sites, far)), within(sites, leave)));
}

}  // namespace

constinit const Algorithm barrier_site_leader = {
    .collective = "barrier",
    .name = "site_leader",
    .summary = "The first ranks of sites tell each other when all of their site have come.",
    .source = "suiro; Open MPI HAN",
    .cost_text = "2 log2 of the ranks of a site, and one message between sites",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_barrier_site_leader,
    .for_sites = true,
};

}  // namespace suiro
