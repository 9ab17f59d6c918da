// SPDX-License-Identifier: BSD-3-Clause
// Send-side Aggregation: the ranks of a node first exchange among themselves, so that every message
// to another node carries the blocks of all of them: on equal nodes of a ranks there are N-1
// messages of a blocks, where 2-Level Ring has P-a of one block. carriers.hpp tells who carries for
// whom, aggregation_scratch.hpp where the blocks are meanwhile.
//
// Outer step j is to one other node, as in 2-Level Pairwise, or in 2-Level Ring, which is the
// paper's order. While its messages travel, the ranks of a node already gather what is for the next
// one; the paper gathers everything first.
//
// Round 0: gather what stays at home, and what is for the node of step 1.
// Round j: put together what was gathered, by target; send it; gather for step j+1. Round 1 also
//   delivers what stays at home.
// Last round: only where the ranks of a node do not follow each other: blocks to their places.
//
// Cost: N rounds, one more if ranks are not in block order; a(P-a) blocks on the wire of a node;
// scratch of 7a-2 blocks on equal nodes, P more if not in block order. A rank sends N(a-1) blocks
// to others of its node (equal nodes), which is what the aggregation costs.
#include <algorithm>
#include <memory>

#include "algorithms/alltoall/aggregation_scratch.hpp"
#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/alltoall/carriers.hpp"

namespace suiro {

namespace {

using alltoall::add_copy;
using alltoall::AggregationScratch;
using alltoall::Carriers;
using alltoall::PeersOf;

constexpr ParameterSpec send_side_aggregation_parameters[] = {
    {.name = "pairs",
     .minimum = 0,
     .maximum = 1,
     .fallback = 1,
     .meaning = "1 lets nodes meet in pairs, 0 in a ring, as the paper does"},
};

PeersOf peers_of(const Parameters& parameters) {
  return parameters.at("pairs") != 0 ? alltoall::partners : alltoall::ring_neighbours;
}

class SendSideAggregation {
 public:
  SendSideAggregation(const Topology& topology, PeersOf peers_of)
      : carriers_(topology, peers_of), map_(carriers_.map()), scratch_(carriers_) {}

  SendSideAggregation(const SendSideAggregation&) = delete;

  std::int64_t rounds() const { return ordering_round() + (scratch_.has_arrivals() ? 1 : 0); }
  std::int64_t scratch_blocks() const { return scratch_.blocks(); }

  void operator()(int me, std::int64_t index, Round& round) const {
    const int step = static_cast<int>(index);
    if (step == ordering_round()) return place_arrivals(me, round);
    if (step == 1) deliver_at_home(me, round);
    if (step >= 1 && step <= carriers_.steps()) exchange(me, step, round);
    gather(me, step, round);
  }

 private:
  int ordering_round() const { return std::max(map_.nodes(), 2); }

  void gather(int me, int index, Round& round) const {
    const int node = map_.node(me);
    std::int64_t packed = 0;
    for (int carrier = 0; carrier < map_.ppn(node); ++carrier) {
      if (carrier == map_.local(me)) continue;
      const int peer = map_.rank(node, carrier);
      const std::int64_t first = packed;
      for (const int to : carriers_.gathering(node, index)) {
        pack_for(node, carrier, to, packed, round);
      }
      if (packed > first) {
        round.steps.push_back(send(AggregationScratch::packed(first, packed - first), peer));
      }
      const Blocks given = scratch_.gathered(me, carrier, index);
      if (given.count > 0) round.steps.push_back(receive(peer, given));
    }
  }

  void pack_for(int node, int carrier, int to, std::int64_t& packed, Round& round) const {
    int target = carriers_.first_target(node, carrier, to);
    for (; target < map_.ppn(to); target += map_.ppn(node)) {
      add_copy(alltoall::block_for(map_.rank(to, target)), AggregationScratch::packed(packed++, 1),
               round);
    }
  }

  void deliver_at_home(int me, Round& round) const {
    const int node = map_.node(me);
    for (int from = 0; from < map_.ppn(node); ++from) {
      add_copy(scratch_.gathered_block(me, from, 0, 0, me),
               alltoall::block_from(map_.rank(node, from)), round);
    }
  }

  void exchange(int me, int step, Round& round) const {
    const alltoall::Peers peers = carriers_.peers(map_.node(me), step);
    send_to(me, peers.to, step, round);
    round.steps.push_back(receive(carriers_.carrier(peers.from, me), scratch_.arrival(peers.from)));
  }

  void send_to(int me, int to, int step, Round& round) const {
    const int node = map_.node(me);
    const int ppn = map_.ppn(node);
    // What stays at home was gathered before it, in round 0: one target, myself.
    const std::int64_t first = step == 1 ? 1 : 0;
    std::int64_t message = 0;
    int local = carriers_.first_target(node, map_.local(me), to);
    for (; local < map_.ppn(to); local += ppn, ++message) {
      const int target = map_.rank(to, local);
      if (ppn == 1) {
        round.steps.push_back(send(alltoall::block_for(target), target));
        continue;
      }
      const Blocks together = scratch_.together(message, ppn);
      for (int from = 0; from < ppn; ++from) {
        add_copy(scratch_.gathered_block(me, from, step - 1, first + message, target),
                 alltoall::scratch(together.first + from, 1), round);
      }
      round.steps.push_back(send(together, target));
    }
  }

  void place_arrivals(int me, Round& round) const {
    for (int node = 0; node < map_.nodes(); ++node) {
      // The blocks of its own node went straight to their places.
      if (node == map_.node(me) || alltoall::consecutive(map_, node)) continue;
      for (int local = 0; local < map_.ppn(node); ++local) {
        add_copy(alltoall::scratch(scratch_.arrival(node).first + local, 1),
                 alltoall::block_from(map_.rank(node, local)), round);
      }
    }
  }

  Carriers carriers_;
  const Topology& map_;
  AggregationScratch scratch_;
};

Schedule build_alltoall_send_side_aggregation(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const auto rounds = std::make_shared<const SendSideAggregation>(topology, peers_of(parameters));
  Schedule schedule = named(alltoall_send_side_aggregation, call, parameters);
  schedule.rounds = rounds->rounds();
  schedule.scratch = rounds->scratch_blocks();
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

Cost cost(const Topology& topology, const Parameters& parameters) {
  const SendSideAggregation rounds(topology, peers_of(parameters));
  return {.rounds = rounds.rounds(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = rounds.scratch_blocks()};
}

}  // namespace

constinit const Algorithm alltoall_send_side_aggregation = {
    .collective = "alltoall",
    .name = "send_side_aggregation",
    .summary = "The ranks of a node exchange first, so each message to a node is for all of them.",
    .source = "2-Level Ring paper (2010), Send-side Aggregation; suiro: uneven nodes, overlap",
    .cost_text =
        "N rounds, N+1 if not in block order; a(P-a) blocks on the wire of a node of a "
        "ranks; scratch 7a-2 (equal nodes), P more if not in block order",
    .parameters = send_side_aggregation_parameters,
    .properties = having<Property::one_peer_per_node_per_round>,
    .cost = cost,
    .build = build_alltoall_send_side_aggregation,
};

}  // namespace suiro
