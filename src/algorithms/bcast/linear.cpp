// SPDX-License-Identifier: BSD-3-Clause
// Linear: the root sends to every other rank.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec parameters_taken[] = {segment_spec};

Schedule build_linear(const Call& call, const Parameters& parameters) {
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
    .parameters = parameters_taken,
    .properties = {},
    .cost = nullptr,
    .build = build_linear,
};

}  // namespace suiro
