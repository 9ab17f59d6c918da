// SPDX-License-Identifier: BSD-3-Clause
// Send-side Aggregation: the ranks of a node first exchange among themselves, so that every message
// to another node carries the blocks of all of them. On equal nodes of a ranks, each carries what
// is for one rank of every other node; on others, local rank s of a node with a ranks carries what
// is for every a-th. So there are N-1 messages of a blocks, where 2-Level Ring has P-a of one
// block. Two ranks never carry for each other, for the reason that two_level.hpp gives for its
// `staggered`.
//
// Round 0: every rank packs its blocks by who carries them, and gives each carrier its part.
// Round j: to one other node, as 2-Level Pairwise. What the carrier got is put together by target,
//   and each target gets a blocks from it. Round 1 also delivers the blocks for the carrier itself.
// Last round: only where the ranks of a node do not follow each other: blocks to their places.
//
// Cost: N rounds, one more if ranks are not in block order; a(P-a) blocks on the wire of a node;
// scratch of 2P blocks, 3P if not in block order (equal nodes). A rank sends N(a-1) blocks to
// others of its node (equal nodes of a ranks), which is what the aggregation costs.
#include <memory>
#include <numeric>
#include <vector>

#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/alltoall/peers.hpp"

namespace suiro {

namespace {

using alltoall::add_copy;
using alltoall::scratch;

constexpr ParameterSpec parameter_specs[] = {
    {.name = "window",
     .minimum = 1,
     .maximum = 64,
     .fallback = 1,
     .meaning = "peer nodes at a time; 1 is free of head-of-line blocking"},
};

class SendSideAggregation {
 public:
  explicit SendSideAggregation(const Topology& topology) : map_(topology) {
    for (int node = 0; node < map_.nodes(); ++node) {
      first_arrival_.push_back(node == 0 ? 0 : first_arrival_.back() + map_.ppn(node - 1));
      in_order_ = in_order_ && alltoall::consecutive(map_, node);
      for (int local = 0; local < map_.ppn(node); ++local) {
        if (map_.ppn(node) == 1) continue;  // nothing to gather
        gathered_ = std::max(gathered_, map_.ppn(node) * carried(node, local));
      }
    }
  }

  std::int64_t rounds() const { return std::max(map_.nodes(), 2) + (in_order_ ? 0 : 1); }
  std::int64_t scratch_blocks() const { return arrived_at() + (in_order_ ? 0 : map_.ranks()); }

  void operator()(int me, std::int64_t index, Round& round) const {
    const int step = static_cast<int>(index);
    if (step == 0) return gather(me, round);
    if (step >= std::max(map_.nodes(), 2)) return place_arrivals(me, round);
    round.fence = step == 1;
    if (step == 1) deliver_at_home(me, round);
    if (map_.nodes() == 1) return;
    const alltoall::Peers peers = alltoall::partners(map_.node(me), step, map_.nodes());
    send_to(me, peers.to, round);
    round.steps.push_back(receive(carrier(peers.from, me), arrival(peers.from)));
  }

 private:
  /// Local rank t of `to` is carried for by local rank t + shift of `node`, modulo its ranks.
  int shift(int node, int to) const { return node < to ? map_.ppn(node) / 2 : 0; }

  int carrier(int node, int target) const {
    const int local = map_.local(target) + shift(node, map_.node(target));
    return map_.rank(node, local % map_.ppn(node));
  }

  /// The first local rank of `to` for which local rank `carrier` of `node` carries; the others
  /// follow at distances of the node's ranks.
  int first_target(int node, int carrier, int to) const {
    return alltoall::modulo(carrier - shift(node, to), map_.ppn(node));
  }

  std::int64_t carried(int node, int carrier, int to) const {
    const int ppn = map_.ppn(node);
    return (map_.ppn(to) - first_target(node, carrier, to) + ppn - 1) / ppn;
  }

  std::int64_t carried(int node, int carrier) const {
    std::int64_t targets = 0;
    for (int to = 0; to < map_.nodes(); ++to) targets += carried(node, carrier, to);
    return targets;
  }

  // Scratch: first what is packed, and after round 0 what is put together; then what the ranks of
  // the node gave me; then what arrived, if it has to be put in order.
  std::int64_t gathered_at() const {
    return gathered_ == 0 ? 0 : std::max<std::int64_t>(map_.ranks(), gathered_);
  }
  std::int64_t arrived_at() const { return gathered_at() + gathered_; }

  /// From the local rank `from`, all that I carry: by node, then by target.
  Blocks gathered(int me, int from) const {
    const std::int64_t targets = carried(map_.node(me), map_.local(me));
    return scratch(gathered_at() + from * targets, targets);
  }

  Blocks arrival(int node) const {
    if (alltoall::consecutive(map_, node)) {
      return {Buffer::receive, map_.rank(node, 0), map_.ppn(node)};
    }
    return scratch(arrived_at() + first_arrival_[node], map_.ppn(node));
  }

  void gather(int me, Round& round) const {
    const int node = map_.node(me);
    const int ppn = map_.ppn(node);
    std::int64_t packed = 0;
    for (int carrier = 0; carrier < ppn; ++carrier) {
      if (carrier == map_.local(me)) continue;
      const std::int64_t first = packed;
      for (int to = 0; to < map_.nodes(); ++to) {
        for (int target = first_target(node, carrier, to); target < map_.ppn(to); target += ppn) {
          add_copy(alltoall::block_for(map_.rank(to, target)), scratch(packed++, 1), round);
        }
      }
      const int peer = map_.rank(node, carrier);
      round.steps.push_back(send(scratch(first, packed - first), peer));
      round.steps.push_back(receive(peer, gathered(me, carrier)));
    }
  }

  /// The block for `target` from the local rank `from`, once gathered; it is number `index` of all
  /// that I carry.
  Blocks gathered_block(int me, int from, std::int64_t index, int target) const {
    if (from == map_.local(me)) return alltoall::block_for(target);
    return scratch(gathered(me, from).first + index, 1);
  }

  std::int64_t first_index(int me, int to) const {
    std::int64_t index = 0;
    for (int node = 0; node < to; ++node) index += carried(map_.node(me), map_.local(me), node);
    return index;
  }

  void deliver_at_home(int me, Round& round) const {
    const int node = map_.node(me);
    const std::int64_t index = first_index(me, node);
    for (int from = 0; from < map_.ppn(node); ++from) {
      add_copy(gathered_block(me, from, index, me), alltoall::block_from(map_.rank(node, from)),
               round);
    }
  }

  void send_to(int me, int to, Round& round) const {
    const int node = map_.node(me);
    const int ppn = map_.ppn(node);
    std::int64_t index = first_index(me, to);
    for (int local = first_target(node, map_.local(me), to); local < map_.ppn(to);
         local += ppn, ++index) {
      const int target = map_.rank(to, local);
      if (ppn == 1) {
        round.steps.push_back(send(alltoall::block_for(target), target));
        continue;
      }
      for (int from = 0; from < ppn; ++from) {
        add_copy(gathered_block(me, from, index, target), scratch(index * ppn + from, 1), round);
      }
      round.steps.push_back(send(scratch(index * ppn, ppn), target));
    }
  }

  void place_arrivals(int me, Round& round) const {
    round.fence = true;
    for (int node = 0; node < map_.nodes(); ++node) {
      // The blocks of its own node went straight to their places.
      if (node == map_.node(me) || alltoall::consecutive(map_, node)) continue;
      for (int local = 0; local < map_.ppn(node); ++local) {
        add_copy(scratch(arrival(node).first + local, 1),
                 alltoall::block_from(map_.rank(node, local)), round);
      }
    }
  }

  Topology map_;
  std::vector<std::int64_t> first_arrival_;
  std::int64_t gathered_ = 0;  // blocks that any rank gathers, at most, its own included
  bool in_order_ = true;
};

Schedule build_send_side_aggregation(const Topology& topology, const Parameters& parameters) {
  const auto rounds = std::make_shared<const SendSideAggregation>(topology);
  Schedule schedule = alltoall::header(alltoall_send_side_aggregation, topology, parameters);
  schedule.rounds = rounds->rounds();
  schedule.window = parameters.at("window");
  schedule.scratch = rounds->scratch_blocks();
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

Cost cost(const Topology& topology, const Parameters&) {
  const SendSideAggregation rounds(topology);
  return {.rounds = rounds.rounds(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = rounds.scratch_blocks()};
}

}  // namespace

constinit const Algorithm alltoall_send_side_aggregation = {
    .collective = "alltoall",
    .name = "send_side_aggregation",
    .summary = "The ranks of a node exchange first, so each message to a node is for all of them.",
    .source = "2-Level Ring paper (2010), Send-side Aggregation; uneven nodes: suiro",
    .cost_text =
        "N rounds, N+1 if not in block order; a(P-a) blocks on the wire of a node of a "
        "ranks; scratch 2P, 3P if not in block order (equal nodes)",
    .parameters = parameter_specs,
    .properties = {},
    .unsupported = alltoall::any_topology,
    .cost = cost,
    .build = build_send_side_aggregation,
};

}  // namespace suiro
