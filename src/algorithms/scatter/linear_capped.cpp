// SPDX-License-Identifier: BSD-3-Clause
// Linear with a cap: the root has only so many messages on the way.
#include "algorithms/scatter/scatter.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec scatter_linear_capped_parameters[] = {
    {.name = "cap",
     .minimum = 1,
     .maximum = 1024,
     .fallback = 8,
     .meaning = "messages of the root on the way at a time"}};
Schedule build_scatter_linear_capped(const Call& call, const Parameters& parameters) {
  const int size = call.topology.ranks();
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = size;
  schedule.window = parameters.at("cap");
  const std::vector<int> order = ranks_from(call);
  schedule.function = [order](int me, std::int64_t i, Round& round) {
    const Blocks own{Buffer::receive, 0, 1};
    if (me == 0 && i == 0) round.steps.push_back(copy({Buffer::send, order[0], 1}, own));
    if (me == 0 && i > 0)
      round.steps.push_back(send({Buffer::send, order[i], 1}, static_cast<int>(i)));
    if (me > 0 && me == i) round.steps.push_back(receive(0, own));
  };
  return named(scatter_linear_capped, call, parameters, relabelled(std::move(schedule), order));
}

}  // namespace

constinit const Algorithm scatter_linear_capped = {
    .collective = "scatter",
    .name = "linear_capped",
    .summary = "The root sends every rank its block, at most `cap` at a time.",
    .source = "Open MPI linear_nb",
    .cost_text = "P - 1 messages of M, cap at once; (P - a) M through the root's port",
    .parameters = scatter_linear_capped_parameters,
    .properties = having<Property::direct>,
    .cost = nullptr,
    .build = build_scatter_linear_capped,
};

}  // namespace suiro
