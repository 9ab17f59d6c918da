// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: in step s ranks 2^s apart tell each other. Where ranks are no power of two,
// some tell a neighbour first and are told last.
#include "algorithms/barrier/barrier.hpp"

namespace suiro {

namespace {

Schedule build_barrier_recursive_doubling(const Call& call, const Parameters& parameters) {
  return named(
      barrier_recursive_doubling, call, parameters,
      relabelled(without_payload(double_up(call.topology.ranks())), node_order(call.topology, 0)));
}

}  // namespace

constinit const Algorithm barrier_recursive_doubling = {
    .collective = "barrier",
    .name = "recursive_doubling",
    .summary = "In step s ranks 2^s apart tell each other.",
    .source = "Open MPI recursive doubling",
    .cost_text = "log2 P messages in time, two more where ranks are no power of two",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_barrier_recursive_doubling,
};

}  // namespace suiro
