// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule sim: how long algorithms take on a network, by the model, and where the time goes.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "choose/native.hpp"
#include "choose/possible_networks.hpp"
#include "collectives/collectives.hpp"
#include "model/estimate.hpp"
#include "model/network_json.hpp"
#include "rules/rules.hpp"
#include "tools/schedules.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Simulation {
  Topology topology;
  Network network;
  Link link;  // as a job knows it
  int root = 0;
  bool transfers = false;
  bool schedules = false;
};

Json spent_json(const Spent& spent) {
  return {{"port_s", spent.port},         {"latency_s", spent.latency},
          {"messages_s", spent.messages}, {"copies_s", spent.copies},
          {"repeats_s", spent.repeats},   {"processors_s", spent.processors}};
}

Json transfers_json(const std::vector<Transfer>& transfers) {
  Json list = Json::array();
  for (const Transfer& one : transfers) {
    list.push_back({one.sender, one.receiver, one.bytes, one.posted_s, one.begin_s, one.end_s});
  }
  return list;
}

/// What must be played rank by rank may take hours.
void expect_few_messages(const Schedule& schedule, const Simulation& simulation) {
  constexpr std::int64_t ranks_max = 12'000;  // of which each sends to each
  const Topology& topology = simulation.topology;
  if (find_collective(schedule.collective)->bytes != Measure::per_pair) return;
  if (topology.ranks() <= ranks_max ||
      may_be_played_by_one_node(schedule, topology, simulation.network))
    return;
  throw UsageError(schedule.collective + "/" + schedule.algorithm + " on " +
                   std::to_string(topology.ranks()) +
                   " ranks is too much to be played rank by rank, and none of its nodes can stand "
                   "for all; name algorithms in which one can, such as ring");
}

/// A tree of ranks as Open MPI lays it out, "bcast/openmpi.binomial": not in the catalog.
std::optional<Schedule> tree_of_openmpi(const std::string& text, const Simulation& simulation) {
  const std::size_t slash = text.find('/');
  const Collective* collective = find_collective(text.substr(0, slash));
  if (slash == std::string::npos || collective == nullptr) return std::nullopt;
  const std::string name = text.substr(slash + 1);
  const RankTree tree = name == "openmpi.binomial" ? RankTree::highest_bit
                        : name == "openmpi.binary" ? RankTree::by_levels
                                                   : RankTree::none;
  if (tree == RankTree::none || !collective->rooted) return std::nullopt;
  if (simulation.root != 0) throw UsageError("trees of Open MPI are laid out from rank 0");
  Schedule schedule = over_ranks(tree, simulation.topology.ranks(), *collective);
  schedule.collective = collective->name;
  schedule.algorithm = name;
  return schedule;
}

Json simulate(const Simulation& simulation, const std::string& text, std::int64_t bytes) {
  const Network& network = simulation.network;
  const Algorithm* named = find_named(std::string_view(text).substr(0, text.find(':')));
  const Collective* collective = named != nullptr ? find_collective(named->collective) : nullptr;
  const std::int64_t cut_bytes =
      collective != nullptr ? collective->cut_bytes(bytes, simulation.topology.ranks()) : bytes;
  const Call call{.topology = simulation.topology,
                  .root = simulation.root,
                  .bytes = cut_bytes,
                  .link = simulation.link};
  const auto begin = std::chrono::steady_clock::now();
  const std::optional<Schedule> tree = tree_of_openmpi(text, simulation);
  const Schedule schedule = tree ? *tree : build_named(text, call);
  const bool cut = find_collective(schedule.collective)->cut();
  const double block =
      static_cast<double>(cut_bytes) / static_cast<double>(cut ? schedule.pieces : 1);
  expect_few_messages(schedule, simulation);
  std::vector<Transfer> transfers;
  const Estimate result = estimate(schedule, simulation.topology, network, block,
                                   simulation.transfers ? &transfers : nullptr);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Json json = {{"collective", schedule.collective},
               {"algorithm", schedule.algorithm},
               {"parameters", schedule.parameters},
               {"bytes", bytes},
               {"seconds", result.seconds},
               {"mean_s", result.mean_s},
               {"worked_s", result.worked_s},
               {"bound_s", bound_s(*find_collective(schedule.collective), simulation.topology,
                                   bytes, network.link_Bps)},
               {"spent", spent_json(result.spent)},
               {"messages", result.messages},
               {"played_ranks", result.played_ranks},
               {"estimated_in_s", took.count()}};
  if (simulation.transfers) json["transfers"] = transfers_json(transfers);
  if (simulation.schedules) {
    json["schedule"] = print(schedule);
    json["block_bytes"] = block;
  }
  return json;
}

/// Where heads of queues block each other, every two nodes count.
void expect_not_too_many(const Topology& topology, const Network& network) {
  constexpr int nodes_max = 1 << 13;
  const bool blocks = network.kind == SwitchKind::hol || network.kind == SwitchKind::pause;
  if (!blocks || topology.nodes() <= nodes_max) return;
  throw UsageError("sim takes at most " + std::to_string(nodes_max) +
                   " nodes on a switch of kind " + std::string(name(network.kind)) + ", not " +
                   std::to_string(topology.nodes()));
}

}  // namespace

int sim_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::vector<std::int64_t> sizes = arguments.take_sizes("sim");
  const std::optional<std::string> path = arguments.take_option("--network");
  Simulation simulation;
  simulation.transfers = arguments.take_flag("--transfers");
  simulation.schedules = arguments.take_flag("--schedules");
  const Request request = take_request(arguments, "sim", ranks_max);
  const NetworkFile file = path ? parse_network(read_text(*path), *path) : NetworkFile{};
  expect_not_too_many(request.topology, file.network);
  simulation.topology = at_sites(request.topology, file.site_of_node);
  simulation.network = file.network;
  simulation.link = link_of(file);
  simulation.root = request.root;
  Json estimates = Json::array();
  while (const std::optional<std::string> name = arguments.take_positional()) {
    for (const std::int64_t bytes : sizes) {
      estimates.push_back(simulate(simulation, *name, bytes));
    }
  }
  arguments.expect_none_left();
  if (estimates.empty()) throw UsageError("sim takes algorithms, such as bcast/pipeline");
  Json document = {{"estimates", estimates}};
  if (simulation.schedules) {
    document["network"] = numbers_of(simulation.network);
    document["message_header_bytes"] = message_header_bytes;
  }
  std::fputs((document.dump(1) + "\n").c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
