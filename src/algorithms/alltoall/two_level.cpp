// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/two_level.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace suiro::alltoall {

namespace {

constexpr int nowhere = -1;

/// Local ranks first .. first + width - 1, which are on the member nodes and on no other.
struct Layer {
  int first;
  int width;
  int first_round;           // the layer's outer steps follow those of the layers before it
  std::vector<int> members;  // nodes
  std::vector<int> places;   // where a node is among the members, or nowhere

  int rounds() const { return (static_cast<int>(members.size()) - 1) * width; }
};

Layer layer_from(const Topology& topology, int first, int first_round) {
  Layer layer{.first = first,
              .width = topology.max_ppn() - first,
              .first_round = first_round,
              .members = {},
              .places = std::vector<int>(topology.nodes(), nowhere)};
  for (int node = 0; node < topology.nodes(); ++node) {
    if (topology.ppn(node) <= first) continue;
    layer.places[node] = static_cast<int>(layer.members.size());
    layer.members.push_back(node);
    layer.width = std::min(layer.width, topology.ppn(node) - first);
  }
  return layer;
}

/// Who sends to whom in inner step r, modulo the smaller node's number of ranks: local rank s to
/// target(s, r), and t gets from source(t, r).
class Turn {
 public:
  /// As the paper has it: everybody counts up.
  static Turn up() { return {1, 0}; }
  /// The ranks of the lower node count up and those of the upper node count down, half a turn
  /// apart. So what two ranks send each other over their connection is that far apart, always.
  static Turn staggered(bool from_lower, int turn) {
    return from_lower ? Turn{1, turn / 2} : Turn{-1, 0};
  }

  int target(int s, int r) const { return s + direction_ * r + ahead_; }
  int source(int t, int r) const { return t - direction_ * r - ahead_; }

 private:
  Turn(int direction, int ahead) : direction_(direction), ahead_(ahead) {}
  int direction_;
  int ahead_;
};

class TwoLevel {
 public:
  TwoLevel(const Topology& topology, PeersOf peers, bool staggered, bool fenced)
      : map_(topology), peers_(peers), staggered_(staggered), fenced_(fenced) {
    int round = map_.max_ppn();
    for (int first = 0; first < map_.max_ppn();) {
      layers_.push_back(layer_from(map_, first, round));
      first += layers_.back().width;
      round += layers_.back().rounds();
    }
  }

  void operator()(int me, std::int64_t index, Round& round) const {
    const int i = static_cast<int>(index);
    if (i < map_.max_ppn()) return inside(me, i, round);
    std::size_t which = 0;
    while (i >= layers_[which].first_round + layers_[which].rounds()) ++which;
    outside(me, layers_[which], i - layers_[which].first_round, round);
  }

 private:
  /// Outer step 0: the node with itself, a ring over its ranks.
  void inside(int me, int k, Round& round) const {
    const int node = map_.node(me);
    const int ppn = map_.ppn(node);
    if (k >= ppn) return;
    const int local = map_.local(me);
    exchange(me, map_.rank(node, modulo(local + k, ppn)), map_.rank(node, modulo(local - k, ppn)),
             round);
  }

  void outside(int me, const Layer& layer, int inner_steps, Round& round) const {
    const int inner_step = inner_steps % layer.width;
    round.fence = fenced_ && inner_step == 0;
    const int node = map_.node(me);
    const int place = layer.places[node];
    if (place == nowhere) return;
    const int size = static_cast<int>(layer.members.size());
    const Peers places = peers_(place, inner_steps / layer.width + 1, size);
    const int to = layer.members[places.to];
    const int from = layer.members[places.from];
    add_sends(me, to, layer.first + inner_step, round);
    add_receives(me, from, layer.first + inner_step, round);
  }

  void add_sends(int me, int to, int r, Round& round) const {
    const int node = map_.node(me);
    const int smaller = std::min(map_.ppn(node), map_.ppn(to));
    const Turn turn = staggered_ ? Turn::staggered(node < to, smaller) : Turn::up();
    int t = modulo(turn.target(map_.local(me), r), smaller);
    for (; t < map_.ppn(to); t += smaller) {
      const int peer = map_.rank(to, t);
      round.steps.push_back(send(block_for(peer), peer));
    }
  }

  void add_receives(int me, int from, int r, Round& round) const {
    const int node = map_.node(me);
    const int smaller = std::min(map_.ppn(node), map_.ppn(from));
    const Turn turn = staggered_ ? Turn::staggered(from < node, smaller) : Turn::up();
    int s = modulo(turn.source(map_.local(me), r), smaller);
    for (; s < map_.ppn(from); s += smaller) {
      const int peer = map_.rank(from, s);
      round.steps.push_back(receive(peer, block_from(peer)));
    }
  }

  Topology map_;
  PeersOf peers_;
  bool staggered_;
  bool fenced_;
  std::vector<Layer> layers_;
};

}  // namespace

Schedule build_two_level(const Algorithm& algorithm, const Topology& topology,
                         const Parameters& parameters, PeersOf peers, bool staggered) {
  const std::int64_t window = parameters.at("window");
  Schedule schedule = header(algorithm, topology, parameters);
  schedule.rounds = topology.ranks();
  schedule.window = window == 0 ? topology.max_ppn() : window;
  const auto rounds =
      std::make_shared<const TwoLevel>(topology, peers, staggered, schedule.window > 1);
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

Cost cost_two_level(const Topology& topology, const Parameters&) {
  return {
      .rounds = topology.ranks(), .wire_blocks = wire_blocks_when_direct(topology), .scratch = 0};
}

}  // namespace suiro::alltoall
