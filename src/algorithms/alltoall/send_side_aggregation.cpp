// SPDX-License-Identifier: BSD-3-Clause
// Send-side Aggregation: the ranks of a node first exchange among themselves, so that every message
// to another node carries the blocks of all of them. On equal nodes of a ranks, each carries what
// is for one rank of every other node; on others, local rank s of a node with a ranks carries what
// is for every a-th. So there are N-1 messages of a blocks, where 2-Level Ring has P-a of one
// block. Two ranks never carry for each other, for the reason that two_level.hpp gives for its
// `staggered`.
//
// Outer step j is to one other node, as 2-Level Pairwise. While its messages travel, the ranks of a
// node already gather what is for the next one; the paper gathers everything first.
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
#include <array>
#include <memory>
#include <vector>

#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/alltoall/peers.hpp"

namespace suiro {

namespace {

using alltoall::add_copy;
using alltoall::scratch;

/// The nodes for which the ranks of a node gather in one round.
struct Gathering {
  std::array<int, 2> nodes{};
  int count = 0;

  void add(int node) { nodes[static_cast<std::size_t>(count++)] = node; }
  const int* begin() const { return nodes.data(); }
  const int* end() const { return nodes.data() + count; }
};

/// Who carries for whom, and in which round it is gathered.
class Carriers {
 public:
  explicit Carriers(const Topology& topology) : map_(topology) {}

  const Topology& map() const { return map_; }
  int steps() const { return map_.nodes() - 1; }

  alltoall::Peers peers(int node, int step) const {
    return alltoall::partners(node, step, map_.nodes());
  }

  Gathering gathering(int node, int round) const {
    Gathering result;
    if (round == 0) result.add(node);
    if (round < steps()) result.add(peers(node, round + 1).to);
    return result;
  }

  int carrier(int node, int target) const {
    const int local = map_.local(target) + shift(node, map_.node(target));
    return map_.rank(node, local % map_.ppn(node));
  }

  /// The first local rank of `to` for which local rank `carrier` of `node` carries; the others
  /// follow at distances of the node's ranks.
  int first_target(int node, int carrier, int to) const {
    return alltoall::modulo(carrier - shift(node, to), map_.ppn(node));
  }

  /// Targets on `to`.
  std::int64_t carried(int node, int carrier, int to) const {
    const int ppn = map_.ppn(node);
    return (map_.ppn(to) - first_target(node, carrier, to) + ppn - 1) / ppn;
  }

  std::int64_t carried(int node, int carrier, const Gathering& gathering) const {
    std::int64_t targets = 0;
    for (const int to : gathering) targets += carried(node, carrier, to);
    return targets;
  }

 private:
  /// Local rank t of `to` is carried for by local rank t + shift of `node`, modulo its ranks.
  int shift(int node, int to) const { return node < to ? map_.ppn(node) / 2 : 0; }

  Topology map_;
};

/// Where things are in scratch: what is packed for the node's other ranks; what they gave, in two
/// areas in turn, because the next comes while the last is used; what is put together; what
/// arrived, where it must be put in order.
struct Areas {
  std::int64_t packed = 0;  // sizes, as blocks
  std::int64_t gathered = 0;
  std::int64_t together = 0;
  std::int64_t arrived = 0;

  std::int64_t gathered_at(int round) const { return packed + round % 2 * gathered; }
  std::int64_t together_at() const { return packed + 2 * gathered; }
  std::int64_t arrived_at() const { return together_at() + together; }
  std::int64_t blocks() const { return arrived_at() + arrived; }
};

void make_room(Areas& areas, const Carriers& carriers, int node, int round) {
  const int ppn = carriers.map().ppn(node);
  const Gathering gathering = carriers.gathering(node, round);
  std::int64_t all = 0;
  for (int local = 0; local < ppn; ++local) all += carriers.carried(node, local, gathering);
  for (int local = 0; local < ppn; ++local) {
    const std::int64_t mine = carriers.carried(node, local, gathering);
    areas.packed = std::max(areas.packed, all - mine);
    areas.gathered = std::max(areas.gathered, ppn * mine);
    if (round >= carriers.steps()) continue;
    const int to = carriers.peers(node, round + 1).to;
    areas.together = std::max(areas.together, ppn * carriers.carried(node, local, to));
  }
}

Areas areas_of(const Carriers& carriers) {
  Areas areas;
  const Topology& map = carriers.map();
  for (int node = 0; node < map.nodes(); ++node) {
    if (!alltoall::consecutive(map, node)) areas.arrived = map.ranks();
    if (map.ppn(node) == 1) continue;  // nothing to gather
    for (int round = 0; round <= carriers.steps(); ++round) make_room(areas, carriers, node, round);
  }
  return areas;
}

class SendSideAggregation {
 public:
  explicit SendSideAggregation(const Topology& topology)
      : carriers_(topology), map_(carriers_.map()), areas_(areas_of(carriers_)) {
    for (int node = 0; node < map_.nodes(); ++node) {
      first_arrival_.push_back(node == 0 ? 0 : first_arrival_.back() + map_.ppn(node - 1));
    }
  }

  SendSideAggregation(const SendSideAggregation&) = delete;

  std::int64_t rounds() const { return ordering_round() + (areas_.arrived > 0 ? 1 : 0); }
  std::int64_t scratch_blocks() const { return areas_.blocks(); }

  void operator()(int me, std::int64_t index, Round& round) const {
    const int step = static_cast<int>(index);
    if (step == ordering_round()) return place_arrivals(me, round);
    if (step == 1) deliver_at_home(me, round);
    if (step >= 1 && step <= carriers_.steps()) exchange(me, step, round);
    gather(me, step, round);
  }

 private:
  int ordering_round() const { return std::max(map_.nodes(), 2); }

  /// From the local rank `from`, what I carry of one round: by node, then by target.
  Blocks gathered(int me, int from, int round) const {
    const int node = map_.node(me);
    const std::int64_t targets =
        carriers_.carried(node, map_.local(me), carriers_.gathering(node, round));
    return scratch(areas_.gathered_at(round) + from * targets, targets);
  }

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
      if (packed > first) round.steps.push_back(send(scratch(first, packed - first), peer));
      const Blocks given = gathered(me, carrier, index);
      if (given.count > 0) round.steps.push_back(receive(peer, given));
    }
  }

  void pack_for(int node, int carrier, int to, std::int64_t& packed, Round& round) const {
    int target = carriers_.first_target(node, carrier, to);
    for (; target < map_.ppn(to); target += map_.ppn(node)) {
      add_copy(alltoall::block_for(map_.rank(to, target)), scratch(packed++, 1), round);
    }
  }

  /// The block for `target` from the local rank `from`: number `index` of what was gathered in a
  /// round.
  Blocks gathered_block(int me, int from, int round, std::int64_t index, int target) const {
    if (from == map_.local(me)) return alltoall::block_for(target);
    return scratch(gathered(me, from, round).first + index, 1);
  }

  void deliver_at_home(int me, Round& round) const {
    const int node = map_.node(me);
    for (int from = 0; from < map_.ppn(node); ++from) {
      add_copy(gathered_block(me, from, 0, 0, me), alltoall::block_from(map_.rank(node, from)),
               round);
    }
  }

  void exchange(int me, int step, Round& round) const {
    const alltoall::Peers peers = carriers_.peers(map_.node(me), step);
    send_to(me, peers.to, step, round);
    round.steps.push_back(receive(carriers_.carrier(peers.from, me), arrival(peers.from)));
  }

  void send_to(int me, int to, int step, Round& round) const {
    const int node = map_.node(me);
    const int ppn = map_.ppn(node);
    // What stays at home was gathered before it, in round 0: one target, myself.
    std::int64_t index = step == 1 ? 1 : 0;
    std::int64_t together = areas_.together_at();
    int local = carriers_.first_target(node, map_.local(me), to);
    for (; local < map_.ppn(to); local += ppn, ++index, together += ppn) {
      const int target = map_.rank(to, local);
      if (ppn == 1) {
        round.steps.push_back(send(alltoall::block_for(target), target));
        continue;
      }
      for (int from = 0; from < ppn; ++from) {
        add_copy(gathered_block(me, from, step - 1, index, target), scratch(together + from, 1),
                 round);
      }
      round.steps.push_back(send(scratch(together, ppn), target));
    }
  }

  Blocks arrival(int node) const {
    if (alltoall::consecutive(map_, node)) {
      return {Buffer::receive, map_.rank(node, 0), map_.ppn(node)};
    }
    return scratch(areas_.arrived_at() + first_arrival_[node], map_.ppn(node));
  }

  void place_arrivals(int me, Round& round) const {
    for (int node = 0; node < map_.nodes(); ++node) {
      // The blocks of its own node went straight to their places.
      if (node == map_.node(me) || alltoall::consecutive(map_, node)) continue;
      for (int local = 0; local < map_.ppn(node); ++local) {
        add_copy(scratch(arrival(node).first + local, 1),
                 alltoall::block_from(map_.rank(node, local)), round);
      }
    }
  }

  Carriers carriers_;
  const Topology& map_;
  Areas areas_;
  std::vector<std::int64_t> first_arrival_;
};

Schedule build_send_side_aggregation(const Topology& topology, const Parameters& parameters) {
  const auto rounds = std::make_shared<const SendSideAggregation>(topology);
  Schedule schedule = alltoall::header(alltoall_send_side_aggregation, topology, parameters);
  schedule.rounds = rounds->rounds();
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

constexpr Property property_list[] = {Property::one_peer_per_node_per_round};

}  // namespace

constinit const Algorithm alltoall_send_side_aggregation = {
    .collective = "alltoall",
    .name = "send_side_aggregation",
    .summary = "The ranks of a node exchange first, so each message to a node is for all of them.",
    .source = "2-Level Ring paper (2010), Send-side Aggregation; suiro: uneven nodes, overlap",
    .cost_text =
        "N rounds, N+1 if not in block order; a(P-a) blocks on the wire of a node of a "
        "ranks; scratch 7a-2 (equal nodes), P more if not in block order",
    .parameters = {},
    .properties = property_list,
    .cost = cost,
    .build = build_send_side_aggregation,
};

}  // namespace suiro
