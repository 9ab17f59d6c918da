// SPDX-License-Identifier: BSD-3-Clause
// Linear: the root sends to every other rank.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

Schedule build_bcast_linear(const Call& call, const Parameters& parameters) {
  const Tree tree = linear_tree(call.topology.ranks());
  return named(bcast_linear, call, parameters, send_down(tree, call, parameters));
}

}  // namespace

constinit const Algorithm bcast_linear = {
    .collective = "bcast",
    .name = "linear",
    .summary = "The root sends to every other rank.",
    .source = "Open MPI linear",
    .cost_text = "P - 1 messages of M out of the root",
    .parameters = taking<segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_linear,
};

}  // namespace suiro
