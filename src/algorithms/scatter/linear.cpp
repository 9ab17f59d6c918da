// SPDX-License-Identifier: BSD-3-Clause
// Linear: the root sends every rank its block at once.
#include "algorithms/scatter/scatter.hpp"

namespace suiro {

namespace {

Schedule build_scatter_linear(const Call& call, const Parameters& parameters) {
  return named(scatter_linear, call, parameters,
               scatter_down(linear_tree(call.topology.ranks()), ranks_from(call)));
}

}  // namespace

constinit const Algorithm scatter_linear = {
    .collective = "scatter",
    .name = "linear",
    .summary = "The root sends every rank its block at once.",
    .source = "MPICH and Open MPI linear",
    .cost_text = "P - 1 messages of M at once; (P - a) M through the root's port",
    .parameters = {},
    .properties = having<Property::direct>,
    .cost = nullptr,
    .build = build_scatter_linear,
};

}  // namespace suiro
