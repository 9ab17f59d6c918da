// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving: recursive doubling backwards. In each step ranks give another half of the sums
// that they still have to do.
#include "algorithms/reduce_scatter/reduce_scatter.hpp"

namespace suiro {

namespace {

Schedule build_reduce_scatter_block_recursive_halving(const Call& call,
                                                      const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  return named(reduce_scatter_block_recursive_halving, call, parameters,
               reversed(doubling_allgather(ranks), ranks));
}

}  // namespace

constinit const Algorithm reduce_scatter_block_recursive_halving = {
    .collective = "reduce_scatter_block",
    .name = "recursive_halving",
    .summary = "In each step ranks give another half of the sums that they still have to do.",
    .source = "MPICH and Open MPI recursive halving",
    .cost_text =
        "log2 P messages of M P/2^i in time, two more where ranks are no power of two; scratch 2 P "
        "M at most",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_reduce_scatter_block_recursive_halving,
};

}  // namespace suiro
