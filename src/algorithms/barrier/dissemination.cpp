// SPDX-License-Identifier: BSD-3-Clause
// Dissemination: in round i every rank tells the rank 2^i further what it has heard.
#include <bit>

#include "algorithms/barrier/barrier.hpp"

namespace suiro {

namespace {

Schedule build_barrier_dissemination(const Call& call, const Parameters& parameters) {
  return named(barrier_dissemination, call, parameters,
               relabelled(disseminate(call.topology.ranks()), node_order(call.topology, 0)));
}

}  // namespace

Schedule disseminate(int size) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = std::bit_width(static_cast<unsigned>(size - 1));
  schedule.function = [size](int me, std::int64_t i, Round& round) {
    const int away = 1 << i;
    round.steps.push_back(send(no_blocks, (me + away) % size));
    round.steps.push_back(receive((me + size - away) % size, no_blocks));
  };
  return schedule;
}

constinit const Algorithm barrier_dissemination = {
    .collective = "barrier",
    .name = "dissemination",
    .summary = "In round i every rank tells the rank 2^i further.",
    .source = "Hensgen, Finkel and Manber (1988); MPICH and Open MPI bruck",
    .cost_text = "ceil(log2 P) messages in time",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_barrier_dissemination,
};

}  // namespace suiro
