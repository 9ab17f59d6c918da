// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree: the ranks that have something to hand on become radix times as many again and
// again.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec radix_spec = {.name = "radix",
                                      .minimum = 2,
                                      .maximum = 64,
                                      .fallback = 4,
                                      .meaning = "how many times as many have it after a step"};
Schedule build_bcast_knomial(const Call& call, const Parameters& parameters) {
  const Tree tree = knomial_tree(call.topology.ranks(), static_cast<int>(parameters.at("radix")));
  return named(bcast_knomial, call, parameters, send_down(tree, call, parameters));
}

}  // namespace

constinit const Algorithm bcast_knomial = {
    .collective = "bcast",
    .name = "knomial",
    .summary = "A k-nomial tree of ranks hands on piece by piece.",
    .source = "Open MPI knomial",
    .cost_text = "log_r P times r - 1 messages of M in time",
    .parameters = taking<radix_spec, segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_knomial,
};

}  // namespace suiro
