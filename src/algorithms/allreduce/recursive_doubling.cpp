// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: in step s ranks 2^s apart exchange all that they have and reduce it, the
// lower rank's first, so that operands stay in the order of ranks. Where ranks are no power of two,
// some give theirs to a neighbour first and get the result last.
#include "algorithms/allreduce/allreduce.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_recursive_doubling(const Call& call, const Parameters& parameters) {
  return named(allreduce_recursive_doubling, call, parameters, double_up(call.topology.ranks()));
}

}  // namespace

constinit const Algorithm allreduce_recursive_doubling = {
    .collective = "allreduce",
    .name = "recursive_doubling",
    .summary = "In step s ranks 2^s apart exchange all that they have and reduce it.",
    .source = "MPICH and Open MPI recursive doubling",
    .cost_text =
        "log2 P messages of M in time, two more where ranks are no power of two; scratch 2 M",
    .parameters = {},
    .properties = having<Property::ordered, Property::same_everywhere, Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_recursive_doubling,
};

}  // namespace suiro
