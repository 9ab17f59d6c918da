// SPDX-License-Identifier: BSD-3-Clause
// Linear: every rank starts everything at once and leaves the order to the network. All may begin
// with the same rank, as in Open MPI's alltoallv, or each with its right neighbour.
// Cost: 1 round; a(P-a) blocks on the wire of a node of a ranks; no scratch.
#include "algorithms/alltoall/alltoall.hpp"

namespace suiro {

namespace {

/// `first`: whom a rank begins with; it goes on with the next higher rank.
using First = int (*)(int me);

Schedule all_at_once(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                     First first) {
  const Topology& topology = call.topology;
  const int ranks = topology.ranks();
  Schedule schedule = named(algorithm, call, parameters);
  schedule.rounds = 1;
  schedule.function = [ranks, first](int me, std::int64_t, Round& round) {
    using namespace alltoall;
    round.steps.push_back(copy(block_for(me), block_from(me)));
    for (int i = 0; i < ranks; ++i) {
      const int peer = (first(me) + i) % ranks;
      if (peer != me) round.steps.push_back(receive(peer, block_from(peer)));
    }
    for (int i = 0; i < ranks; ++i) {
      const int peer = (first(me) + i) % ranks;
      if (peer != me) round.steps.push_back(send(block_for(peer), peer));
    }
  };
  return schedule;
}

Schedule build_alltoall_linear(const Call& call, const Parameters& parameters) {
  return all_at_once(alltoall_linear, call, parameters, [](int me) { return me + 1; });
}

Schedule build_alltoall_linear_by_rank(const Call& call, const Parameters& parameters) {
  return all_at_once(alltoall_linear_by_rank, call, parameters, [](int) { return 0; });
}

Cost cost_linear(const Topology& topology, const Parameters&) {
  return {.rounds = 1, .wire_blocks = alltoall::wire_blocks_when_direct(topology), .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_linear = {
    .collective = "alltoall",
    .name = "linear",
    .summary = "Everything at once: P-1 sends and receives in one round, right neighbour first.",
    .source = "MPICH scattered without a throttle; Open MPI linear_sync, whose limit is 0",
    .cost_text = "1 round; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = {},
    .properties = alltoall::only_direct,
    .cost = cost_linear,
    .build = build_alltoall_linear,
};

constinit const Algorithm alltoall_linear_by_rank = {
    .collective = "alltoall",
    .name = "linear_by_rank",
    .summary = "Everything at once, and every rank begins with rank 0, so that all begin alike.",
    .source = "Open MPI basic linear (coll_base_alltoallv.c, coll_basic_alltoallw.c); a baseline",
    .cost_text = "1 round; a(P-a) blocks on the wire of a node of a ranks; no scratch",
    .parameters = {},
    .properties = alltoall::only_direct,
    .cost = cost_linear,
    .build = build_alltoall_linear_by_rank,
};

}  // namespace suiro
