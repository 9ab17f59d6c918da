// SPDX-License-Identifier: BSD-3-Clause
// Linear: every rank sends its block to the root at once.
#include "algorithms/gather/gather.hpp"

namespace suiro {

namespace {

Schedule build_gather_linear(const Call& call, const Parameters& parameters) {
  return named(gather_linear, call, parameters,
               gather_up(linear_tree(call.topology.ranks()), ranks_from(call)));
}

}  // namespace

constinit const Algorithm gather_linear = {
    .collective = "gather",
    .name = "linear",
    .summary = "Every rank sends its block to the root at once.",
    .source = "MPICH and Open MPI linear",
    .cost_text = "P - 1 messages of M at once; (P - a) M through the root's port",
    .parameters = {},
    .properties = having<Property::direct>,
    .cost = nullptr,
    .build = build_gather_linear,
};

}  // namespace suiro
