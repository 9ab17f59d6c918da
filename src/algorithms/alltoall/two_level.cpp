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
  std::vector<int> members;  // nodes
  std::vector<int> places;   // where a node is among the members, or nowhere

  int outer_steps() const { return static_cast<int>(members.size()) - 1; }
};

Layer layer_from(const Topology& topology, int first) {
  Layer layer{.first = first,
              .width = topology.max_ppn() - first,
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

std::vector<Layer> layers_of(const Topology& topology) {
  std::vector<Layer> layers;
  for (int first = 0; first < topology.max_ppn(); first += layers.back().width) {
    layers.push_back(layer_from(topology, first));
  }
  return layers;
}

/// Messages to the same peers as the round's, without payload.
void take_payload(Round& round) {
  for (Step& step : round.steps) {
    (step.action == Action::send ? step.source : step.target) = scratch(0, 0);
  }
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
  TwoLevel(const Topology& topology, const TwoLevelOptions& options, bool fenced)
      : map_(topology), options_(options), fenced_(fenced), layers_(layers_of(topology)) {}

  void operator()(int me, std::int64_t index, Round& round) const {
    int i = static_cast<int>(index);
    if (i < map_.max_ppn()) return inside(me, i, round);
    i -= map_.max_ppn();
    auto layer = layers_.begin();
    for (; i >= rounds(*layer); ++layer) i -= rounds(*layer);
    outside(me, *layer, i, round);
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

  /// Rounds of one outer step: the meeting, if ranks meet, and the inner steps.
  int step_rounds(const Layer& layer) const { return layer.width + (options_.meeting ? 1 : 0); }
  int rounds(const Layer& layer) const { return layer.outer_steps() * step_rounds(layer); }

  /// The i-th of a layer's rounds.
  void outside(int me, const Layer& layer, int i, Round& round) const {
    const bool meeting = options_.meeting && i % step_rounds(layer) == 0;
    const int inner_step = std::max(i % step_rounds(layer) - (options_.meeting ? 1 : 0), 0);
    round.fence = fenced_ && inner_step == 0;
    const int place = layer.places[map_.node(me)];
    if (place == nowhere) return;
    const Peers places =
        options_.peers(place, i / step_rounds(layer) + 1, static_cast<int>(layer.members.size()));
    add_sends(me, layer.members[places.to], layer.first + inner_step, round);
    add_receives(me, layer.members[places.from], layer.first + inner_step, round);
    if (meeting) take_payload(round);
  }

  void add_sends(int me, int to, int r, Round& round) const {
    const int node = map_.node(me);
    const int smaller = std::min(map_.ppn(node), map_.ppn(to));
    const Turn turn = options_.staggered ? Turn::staggered(node < to, smaller) : Turn::up();
    int t = modulo(turn.target(map_.local(me), r), smaller);
    for (; t < map_.ppn(to); t += smaller) {
      const int peer = map_.rank(to, t);
      round.steps.push_back(send(block_for(peer), peer));
    }
  }

  void add_receives(int me, int from, int r, Round& round) const {
    const int node = map_.node(me);
    const int smaller = std::min(map_.ppn(node), map_.ppn(from));
    const Turn turn = options_.staggered ? Turn::staggered(from < node, smaller) : Turn::up();
    int s = modulo(turn.source(map_.local(me), r), smaller);
    for (; s < map_.ppn(from); s += smaller) {
      const int peer = map_.rank(from, s);
      round.steps.push_back(receive(peer, block_from(peer)));
    }
  }

  Topology map_;
  TwoLevelOptions options_;
  bool fenced_;
  std::vector<Layer> layers_;
};

}  // namespace

std::int64_t outer_steps(const Topology& topology) {
  std::int64_t steps = 0;
  for (const Layer& layer : layers_of(topology)) steps += layer.outer_steps();
  return steps;
}

Schedule build_two_level(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                         const TwoLevelOptions& options) {
  const Topology& topology = call.topology;
  Schedule schedule = named(algorithm, call, parameters);
  schedule.rounds = topology.ranks() + (options.meeting ? outer_steps(topology) : 0);
  schedule.window = options.window == 0 ? topology.max_ppn() : options.window;
  schedule.overtaking = options.overtaking;
  const bool fenced = schedule.window > 1 && !options.overtaking;
  const auto rounds = std::make_shared<const TwoLevel>(topology, options, fenced);
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

Cost cost_two_level(const Topology& topology, const Parameters&) {
  return {
      .rounds = topology.ranks(), .wire_blocks = wire_blocks_when_direct(topology), .scratch = 0};
}

}  // namespace suiro::alltoall
