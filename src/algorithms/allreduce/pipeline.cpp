// SPDX-License-Identifier: BSD-3-Clause
// Pipeline: a chain in the order of ranks reduces piece by piece towards rank 0, and the result of
// a piece goes back along it while further ones are reduced. Operands stay in the order of ranks.
#include "algorithms/allreduce/allreduce.hpp"

namespace suiro {

namespace {

Schedule build_allreduce_pipeline(const Call& call, const Parameters& parameters) {
  const Tree chain = chain_tree(call.topology.ranks(), 1);
  const std::int64_t stages = std::int64_t{2} * chain.depth;
  const std::int64_t pieces = segments_of(call.bytes, stages, call, parameters);
  const Schedule up = reduce_up(chain, pieces, Operands::in_order);
  const Schedule down = in_receive_buffer(send_down(chain, pieces));
  // A rank is a round behind the one that it hears of operands from, and gives that one results:
  // two more rounds for each. In place, a result may come only when what the last rank had there
  // has left, and what others had has been reduced.
  const std::int64_t leaving = std::max<std::int64_t>(up.window + 1 - stages, 0);
  const auto later = [first = down.lookahead + leaving](int rank) {
    return first + std::int64_t{2} * rank;
  };
  return named(allreduce_pipeline, call, parameters, overlapped(up, delayed(down, later), 0));
}

}  // namespace

constinit const Algorithm allreduce_pipeline = {
    .collective = "allreduce",
    .name = "pipeline",
    .summary = "A chain of ranks reduces piece by piece to rank 0 and takes results back.",
    .source = "suiro",
    .cost_text =
        "(k + 2 P - 2) messages of M/k in time; 2 M through every port in and out, where ranks are "
        "in the order of nodes; scratch for 13 segments",
    .parameters = taking<segment_spec>,
    .properties = having<Property::ordered, Property::same_everywhere, Property::in_place>,
    .cost = nullptr,
    .build = build_allreduce_pipeline,
};

}  // namespace suiro
