// SPDX-License-Identifier: BSD-3-Clause
// Linear: every rank sends its block to all others at once, beginning with the next.
#include "algorithms/allgather/allgather.hpp"

namespace suiro {

namespace {

Schedule build_allgather_linear(const Call& call, const Parameters& parameters) {
  Schedule schedule =
      named(allgather_linear, call, parameters, own_block(call.topology.ranks(), 1));
  schedule.function = [own = schedule.function, size = schedule.ranks](int me, std::int64_t i,
                                                                       Round& round) {
    own(me, i, round);
    for (int away = 1; away < size; ++away) {
      const int from = (me + size - away) % size;
      round.steps.push_back(receive(from, {Buffer::receive, from, 1}));
    }
    for (int away = 1; away < size; ++away) {
      round.steps.push_back(send({Buffer::send, 0, 1}, (me + away) % size));
    }
  };
  return schedule;
}

}  // namespace

constinit const Algorithm allgather_linear = {
    .collective = "allgather",
    .name = "linear",
    .summary = "Every rank sends its block to all others at once.",
    .source = "Open MPI linear",
    .cost_text = "P - 1 messages of M at once; a (P - a) M through every port",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_allgather_linear,
};

}  // namespace suiro
