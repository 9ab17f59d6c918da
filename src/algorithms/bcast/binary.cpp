// SPDX-License-Identifier: BSD-3-Clause
// Binary tree: a rank hands on to two others, piece by piece.
#include "algorithms/bcast/bcast.hpp"

namespace suiro {

namespace {

Schedule build_bcast_binary(const Call& call, const Parameters& parameters) {
  const Tree tree = binary_tree(call.topology.ranks());
  return named(bcast_binary, call, parameters, send_down(tree, call, parameters));
}

}  // namespace

constinit const Algorithm bcast_binary = {
    .collective = "bcast",
    .name = "binary",
    .summary = "A binary tree of ranks hands on piece by piece.",
    .source = "Open MPI binary",
    .cost_text = "(k + log2 P - 1) times 2 messages of M/k in time",
    .parameters = taking<segment_spec>,
    .properties = {},
    .cost = nullptr,
    .build = build_bcast_binary,
};

}  // namespace suiro
