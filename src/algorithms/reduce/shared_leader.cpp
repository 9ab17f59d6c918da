// SPDX-License-Identifier: BSD-3-Clause
// Shared memory and a leader: all ranks of a node publish what they have and are done. One of them
// folds it, and reduces with those of other nodes up a tree. For vectors so short that messages and
// turns count, and not bytes.
#include <bit>

#include "algorithms/parts/node_memory.hpp"
#include "algorithms/reduce/reduce.hpp"

namespace suiro {

namespace {

/// Among places 0 .. size - 1, what they have in the receive buffer: in step s those that are
/// 2^s apart come together at the lower one.
Schedule reduce_by_halves(int size) {
  Schedule schedule;
  const int steps = std::bit_width(static_cast<unsigned>(size - 1));
  schedule.ranks = size;
  schedule.rounds = std::int64_t{2} * steps;
  schedule.scratch = size > 1 ? 1 : 0;
  schedule.function = [size](int me, std::int64_t i, Round& round) {
    const Blocks sum{Buffer::receive, 0, 1};
    const Blocks arriving{Buffer::scratch, 0, 1, 0};
    const int apart = 1 << (i / 2);
    if (me % apart != 0) return;
    const bool is_lower = (me & apart) == 0;
    if (!is_lower && i % 2 == 0) round.steps.push_back(send(sum, me - apart));
    if (!is_lower || me + apart >= size) return;
    round.steps.push_back(i % 2 == 0 ? receive(me + apart, arriving) : reduce(arriving, sum));
  };
  return schedule;
}

Schedule build_reduce_shared_leader(const Call& call, const Parameters& parameters) {
  const Groups nodes = nodes_from(call.topology, call.root);
  const auto fold = [](int, int size) { return fold_to_leader(size, {0, 1}); };
  // Only the root has a receive buffer.
  const BlockMap held = [root = call.root](int rank, Blocks blocks) {
    if (blocks.buffer == Buffer::receive && rank != root) blocks.buffer = Buffer::work;
    return blocks;
  };
  const Schedule between = reduce_by_halves(static_cast<int>(nodes.size()));
  Schedule whole = sequence(within(nodes, fold, held), across(nodes, between, held));
  whole.work = true;
  return named(reduce_shared_leader, call, parameters, std::move(whole));
}

}  // namespace

constinit const Algorithm reduce_shared_leader = {
    .collective = "reduce",
    .name = "shared_leader",
    .summary = "One rank per node folds what its node has in shared memory, and reduces for it.",
    .source = "suiro; Graham and Shipman (2008) inside nodes",
    .cost_text = "log2 N messages of M in time; a - 1 reductions; scratch and shared M",
    .parameters = {},
    .properties = having<Property::in_place>,
    .cost = nullptr,
    .build = build_reduce_shared_leader,
    .in_shared_memory = true,
};

}  // namespace suiro
