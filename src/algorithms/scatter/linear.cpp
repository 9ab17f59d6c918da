// SPDX-License-Identifier: BSD-3-Clause
// Linear: the root sends every rank its block at once, those first that have the longest way.
#include <algorithm>

#include "algorithms/scatter/scatter.hpp"

namespace suiro {

namespace {

/// The root, ranks of other sites, and those of its own.
std::vector<int> far_first(const Call& call) {
  const Topology& topology = call.topology;
  const auto site = [&](int rank) { return topology.site(topology.node(rank)); };
  std::vector<int> order = ranks_from(call);
  std::stable_partition(order.begin() + 1, order.end(),
                        [&](int rank) { return site(rank) != site(call.root); });
  return order;
}

Schedule build_scatter_linear(const Call& call, const Parameters& parameters) {
  return named(scatter_linear, call, parameters,
               scatter_down(linear_tree(call.topology.ranks()), far_first(call)));
}

}  // namespace

constinit const Algorithm scatter_linear = {
    .collective = "scatter",
    .name = "linear",
    .summary = "The root sends every rank its block at once, to other sites first.",
    .source = "MPICH and Open MPI linear",
    .cost_text = "P - 1 messages of M at once; (P - a) M through the root's port",
    .parameters = {},
    .properties = having<Property::direct>,
    .cost = nullptr,
    .build = build_scatter_linear,
};

}  // namespace suiro
