// SPDX-License-Identifier: BSD-3-Clause
#include "tools/picture.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "collectives/collectives.hpp"
#include "tools/schedules.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Blocks by the other node.
using Peers = std::map<int, std::int64_t>;

struct Nic {
  Peers sends;
  Peers receives;
};

struct Message {
  int source;
  int target;
  std::int64_t blocks;
};

/// One round of all ranks.
struct Scene {
  bool fence = false;
  std::vector<Nic> nics;
  std::vector<Message> messages;
};

std::int64_t blocks_of(const Peers& peers) {
  std::int64_t sum = 0;
  for (const auto& [node, blocks] : peers) sum += blocks;
  return sum;
}

std::int64_t busiest_blocks(const Scene& scene) {
  std::int64_t most = 0;
  for (const Nic& nic : scene.nics) {
    most = std::max({most, blocks_of(nic.sends), blocks_of(nic.receives)});
  }
  return most;
}

void add_step(const Step& step, int rank, const Topology& topology, Scene& scene) {
  const bool sends = step.action == Action::send;
  if (!sends && step.action != Action::receive) return;
  if (step.peer < 0 || step.peer >= topology.ranks()) {
    throw UsageError("rank " + std::to_string(rank) + " has a message with rank " +
                     std::to_string(step.peer) + ", and there is no such rank");
  }
  const std::int64_t blocks = sends ? step.source.count : step.target.count;
  const int node = topology.node(rank);
  const int other = topology.node(step.peer);
  if (node != other) (sends ? scene.nics[node].sends : scene.nics[node].receives)[other] += blocks;
  if (sends) scene.messages.push_back({rank, step.peer, blocks});
}

Scene scene_of(const Schedule& schedule, const Topology& topology, std::int64_t index) {
  Scene scene;
  scene.nics.resize(topology.nodes());
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    schedule.round(rank, index, round);
    scene.fence = scene.fence || round.fence;
    for (const Step& step : round.steps) add_step(step, rank, topology, scene);
  }
  return scene;
}

Json json_of_peers(const Peers& peers) {
  Json list = Json::array();
  for (const auto& [node, blocks] : peers) list.push_back({{"node", node}, {"blocks", blocks}});
  return list;
}

Json json_of_scene(const Scene& scene, std::int64_t index) {
  Json nics = Json::array();
  for (const Nic& nic : scene.nics) {
    nics.push_back(
        {{"sends", json_of_peers(nic.sends)}, {"receives", json_of_peers(nic.receives)}});
  }
  Json messages = Json::array();
  for (const Message& message : scene.messages) {
    messages.push_back(
        {{"source", message.source}, {"target", message.target}, {"blocks", message.blocks}});
  }
  return {{"round", index},
          {"fence", scene.fence},
          {"busiest_nic_blocks", busiest_blocks(scene)},
          {"nodes", nics},
          {"messages", messages}};
}

Json proven_properties(const Schedule& schedule, const Topology& topology) {
  Json list = Json::array();
  for (const PropertyProof& proof : prove_properties(schedule, topology)) {
    list.push_back(json_of(proof));
  }
  return list;
}

void check_size(const Schedule& schedule) {
  if (schedule.rounds <= TextLimits::rank_rounds / std::max(schedule.ranks, 1)) return;
  throw UsageError(std::to_string(schedule.ranks) + " ranks x " + std::to_string(schedule.rounds) +
                   " rounds are too many to show; try fewer ranks");
}

}  // namespace

std::string picture(const Schedule& schedule, const RoundRange& rounds) {
  if (schedule.node_of_rank.empty()) {
    throw UsageError(
        "the schedule does not say on which nodes its ranks are: give it a line such "
        "as `nodes 0 0 1 1`");
  }
  check_size(schedule);
  const Topology topology = Topology::from_nodes(schedule.node_of_rank);
  const bool cut = find_collective(schedule.collective)->cut();
  std::int64_t busiest_sum = 0;
  Json shown = Json::array();
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    const Scene scene = scene_of(schedule, topology, index);
    busiest_sum += busiest_blocks(scene);
    if (rounds.first <= index && index <= rounds.last) {
      shown.push_back(json_of_scene(scene, index));
    }
  }
  // Rounds of a pipeline are together on the wire, those of blocks are one after the other.
  const std::int64_t carried = cut ? count_cost(schedule, topology).wire_blocks : busiest_sum;
  std::vector<int> node_of_rank;
  node_of_rank.reserve(topology.ranks());
  for (int rank = 0; rank < topology.ranks(); ++rank) node_of_rank.push_back(topology.node(rank));
  const Json document = {{"collective", schedule.collective},
                         {"algorithm", schedule.algorithm},
                         {"parameters", schedule.parameters},
                         {"shape", topology.describe()},
                         {"nodes", topology.nodes()},
                         {"ranks", topology.ranks()},
                         {"node_of_rank", node_of_rank},
                         {"rounds", schedule.rounds},
                         {"window", schedule.window},
                         {"overtaking", schedule.overtaking},
                         {"lookahead", schedule.lookahead},
                         {"scratch_blocks", schedule.scratch},
                         {"root", schedule.root},
                         {"pieces", cut ? Json(schedule.pieces) : Json()},
                         {"busiest_nic_blocks", carried},
                         {"bound_blocks", bound_blocks(schedule, topology)},
                         {"properties", proven_properties(schedule, topology)},
                         {"shown", shown}};
  return document.dump(1) + "\n";
}

}  // namespace suiro::tools
