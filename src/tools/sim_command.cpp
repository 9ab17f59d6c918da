// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule sim: how long algorithms take on a network, by the model, and where the time goes.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

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
  int root = 0;
  bool transfers = false;
};

Json json_of(const Spent& spent) {
  return {{"port_s", spent.port},
          {"latency_s", spent.latency},
          {"messages_s", spent.messages},
          {"copies_s", spent.copies},
          {"repeats_s", spent.repeats}};
}

Json json_of(const std::vector<Transfer>& transfers) {
  Json list = Json::array();
  for (const Transfer& one : transfers) {
    list.push_back({one.sender, one.receiver, one.bytes, one.posted_s, one.begin_s, one.end_s});
  }
  return list;
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
                  .link = {.startup_s = network.message_s, .Bps = network.link_Bps}};
  const auto begin = std::chrono::steady_clock::now();
  const Schedule schedule = build_named(text, call);
  const bool cut = find_collective(schedule.collective)->cut();
  const double block =
      static_cast<double>(cut_bytes) / static_cast<double>(cut ? schedule.pieces : 1);
  std::vector<Transfer> transfers;
  const Estimate result = estimate(schedule, simulation.topology, network, block,
                                   simulation.transfers ? &transfers : nullptr);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Json json = {{"collective", schedule.collective},
               {"algorithm", schedule.algorithm},
               {"parameters", schedule.parameters},
               {"bytes", bytes},
               {"seconds", result.seconds},
               {"bound_s", bound_s(*find_collective(schedule.collective), simulation.topology,
                                   bytes, network.link_Bps)},
               {"spent", json_of(result.spent)},
               {"messages", result.messages},
               {"estimated_in_s", took.count()}};
  if (simulation.transfers) json["transfers"] = json_of(transfers);
  return json;
}

}  // namespace

int sim_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::vector<std::int64_t> sizes = arguments.take_sizes("sim");
  const std::optional<std::string> path = arguments.take_option("--network");
  Simulation simulation;
  simulation.transfers = arguments.take_flag("--transfers");
  const Request request = take_request(arguments, "sim", ranks_max);
  constexpr int nodes_max = 1 << 13;  // the model has a number for every two nodes
  if (request.topology.nodes() > nodes_max) {
    throw UsageError("sim takes at most " + std::to_string(nodes_max) + " nodes, not " +
                     std::to_string(request.topology.nodes()));
  }
  const NetworkFile file = path ? parse_network(read_text(*path), *path) : NetworkFile{};
  simulation.topology = at_sites(request.topology, file.site_of_node);
  simulation.network = file.network;
  simulation.root = request.root;
  Json estimates = Json::array();
  while (const std::optional<std::string> name = arguments.take_positional()) {
    for (const std::int64_t bytes : sizes) {
      estimates.push_back(simulate(simulation, *name, bytes));
    }
  }
  arguments.expect_none_left();
  if (estimates.empty()) throw UsageError("sim takes algorithms, such as bcast/pipeline");
  std::fputs((Json{{"estimates", estimates}}.dump(1) + "\n").c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
