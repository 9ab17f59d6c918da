// SPDX-License-Identifier: BSD-3-Clause
// Linear with a cap: the root lets only so many ranks send at a time, so that its port is not
// flooded.
#include "algorithms/gather/gather.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec gather_linear_capped_parameters[] = {
    {.name = "cap",
     .minimum = 1,
     .maximum = 1024,
     .fallback = 8,
     .meaning = "ranks that send at a time"}};
Schedule build_gather_linear_capped(const Call& call, const Parameters& parameters) {
  const int size = call.topology.ranks();
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = size;
  schedule.window = parameters.at("cap");
  const std::vector<int> order = ranks_from(call);
  schedule.function = [order, size](int me, std::int64_t i, Round& round) {
    const Blocks own{Buffer::send, 0, 1};
    if (me == 0 && i == 0) round.steps.push_back(copy(own, {Buffer::receive, order[0], 1}));
    const auto turn = static_cast<int>(i + 1);
    if (me == 0 && turn < size) {
      round.steps.push_back(receive(turn, {Buffer::receive, order[turn], 1}));
      round.steps.push_back(send(no_blocks, turn));
    } else if (me == turn) {
      round.steps.push_back(receive(0, no_blocks));
    } else if (me > 0 && turn == me + 1) {
      round.fence = true;
      round.steps.push_back(send(own, 0));
    }
  };
  return named(gather_linear_capped, call, parameters, relabelled(std::move(schedule), order));
}

}  // namespace

constinit const Algorithm gather_linear_capped = {
    .collective = "gather",
    .name = "linear_capped",
    .summary = "Every rank sends its block to the root, at most `cap` at a time.",
    .source = "Open MPI linear with synchronisation",
    .cost_text = "P - 1 messages of M, cap at once; (P - a) M through the root's port",
    .parameters = gather_linear_capped_parameters,
    .properties = having<Property::direct>,
    .cost = nullptr,
    .build = build_gather_linear_capped,
};

}  // namespace suiro
