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

Topology at_sites(const Topology& topology, const std::vector<int>& site_of_node) {
  if (site_of_node.empty()) return topology;
  std::vector<int> node_of_rank;
  node_of_rank.reserve(static_cast<std::size_t>(topology.ranks()));
  for (int rank = 0; rank < topology.ranks(); ++rank) node_of_rank.push_back(topology.node(rank));
  try {
    return Topology::from_nodes(node_of_rank, site_of_node);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("site_of_node: ") + error.what());
  }
}

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
  const Call call{.topology = simulation.topology,
                  .root = simulation.root,
                  .bytes = bytes,
                  .link = {.startup_s = network.message_s, .Bps = network.link_Bps}};
  const auto begin = std::chrono::steady_clock::now();
  const Schedule schedule = build_named(text, call);
  const bool cut = find_collective(schedule.collective)->cut();
  const double block = static_cast<double>(bytes) / static_cast<double>(cut ? schedule.pieces : 1);
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

std::vector<std::int64_t> take_sizes(Arguments& arguments) {
  const std::optional<std::string> text = arguments.take_option("--sizes");
  if (!text) throw UsageError("sim takes --sizes BYTES,BYTES,...");
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    sizes.push_back(number(std::string_view(*text).substr(begin, end - begin), "--sizes", 0,
                           std::int64_t{1} << 40));
    begin = end + 1;
  }
  return sizes;
}

}  // namespace

int sim_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::vector<std::int64_t> sizes = take_sizes(arguments);
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
