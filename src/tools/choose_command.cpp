// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule choose: what the preloaded library would run, and why; with --outlook also what
// that comes to on each network that this may be.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>
#include <tuple>

#include "choose/bound_rules.hpp"
#include "choose/choose.hpp"
#include "choose/lessons.hpp"
#include "choose/outlook.hpp"
#include "choose/possible_networks.hpp"
#include "choose/prediction.hpp"
#include "model/network_json.hpp"
#include "tools/schedules.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

/// As a job finds them.
Surroundings take_surroundings(Arguments& arguments, Topology& topology) {
  Surroundings known;
  known.mpi = arguments.take_option("--mpi").value_or("");
  std::tie(known.release, known.minor) = arguments.take_release();
  const auto Bps = arguments.take_number("--link-Bps", 1, std::int64_t{1} << 50);
  const auto startup_ns = arguments.take_number("--startup-ns", 0, std::int64_t{1} << 40);
  const auto processors = arguments.take_number("--processors", 0, 1 << 16);
  known.processors = static_cast<int>(processors.value_or(0));
  known.node_memory = true;
  known.tries = arguments.take_flag("--tries");
  known.rate_known = Bps.has_value();
  if (Bps) known.link.Bps = static_cast<double>(*Bps);
  if (startup_ns) known.link.startup_s = 1e-9 * static_cast<double>(*startup_ns);
  const std::optional<std::string> path = arguments.take_option("--network");
  if (path) {
    known.network =
        told_network(read_text(*path), *path, known.link, known.rate_known, known.processors);
    known.rate_known = known.network->tells_rate;
    topology = at_sites(topology, known.network->site_of_node);
  }
  return known;
}

RuleTable take_rules(Arguments& arguments) {
  const std::optional<std::string> path = arguments.take_option("--rules");
  return path ? RuleTable::parse(read_text(*path), *path) : RuleTable();
}

void take_lessons(Arguments& arguments, Chooser& chooser) {
  const std::optional<std::string> path = arguments.take_option("--lessons");
  if (path && !recall_lessons(chooser, read_text(*path))) {
    throw UsageError(*path + ": expected an array of lessons, as JSON");
  }
}

Json seconds_json(double seconds) { return std::isfinite(seconds) ? Json(seconds) : Json(); }

Json network_json(const Network& network, int sites) {
  Json json = {{"kind", name(network.kind)}, {"link_Bps", network.link_Bps}};
  if (sites > 1) {
    json["wan_Bps"] = network.wan.Bps;
    json["wan_latency_s"] = network.wan.latency_s;
  }
  return json;
}

Json outlook_json(const Outlook& outlook, int sites) {
  Json on = Json::array();
  for (const Outlook::On& one : outlook.on) {
    Json json = network_json(one.network, sites);
    json["native_s"] = seconds_json(one.native.seconds);
    json["native_mean_s"] = seconds_json(one.native.mean_s);
    json["native_nodes_s"] = seconds_json(one.native.nodes_s);
    json["chosen_s"] = seconds_json(one.chosen.seconds);
    json["chosen_mean_s"] = seconds_json(one.chosen.mean_s);
    on.push_back(std::move(json));
  }
  return {{"native", outlook.native_said}, {"native_known", outlook.native_known}, {"on", on}};
}

/// Twice as much is played as for a decision, or a little where that was not enough. Where nothing
/// can be played, there are no networks.
Outlook outlook_of(const Surroundings& known, const Chooser& chooser, const Collective& collective,
                   const Topology& topology, std::int64_t bytes, const Decision& decision) {
  constexpr std::int64_t little = 1'000'000;
  const bool ignorant = decision.reason.starts_with(ignorance_begins);
  if (collective.sizes == Sizes::at_root || topology.nodes() < 2) return {};
  const std::int64_t moves = ignorant ? little : 2 * chooser.moves(collective, topology, bytes);
  try {
    return outlook(known, collective, topology, bytes, decision, moves);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

int choose_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::vector<std::int64_t> sizes = arguments.take_sizes("choose");
  const bool with_outlook = arguments.take_flag("--outlook");
  Request request = take_request(arguments, "choose", ranks_max);
  const Topology& topology = request.topology;
  const Surroundings known = take_surroundings(arguments, request.topology);
  const RuleTable rules = take_rules(arguments);
  const Collective& collective = arguments.take_collective();
  // As the library does before any call: the user's rules, earlier jobs, the bound, the model.
  Chooser chooser(known,
                  known.rate_known ? bound_rules(known.link, known.processors) : RuleTable());
  take_lessons(arguments, chooser);
  arguments.expect_none_left();
  Json rows = Json::array();
  for (const std::int64_t bytes : sizes) {
    const auto begin = std::chrono::steady_clock::now();
    const auto said = rules.decide({collective.name, topology, bytes});
    const Decision decision = said ? *said : chooser.choose(collective, topology, bytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    Json row = {{"bytes", bytes},
                {"algorithm", spelled(decision.algorithm, decision.parameters)},
                {"reason", decision.reason},
                {"sure", is_sure(decision)},
                {"decided_in_s", took.count()}};
    if (with_outlook) {
      const Outlook its = outlook_of(known, chooser, collective, topology, bytes, decision);
      row["outlook"] = outlook_json(its, topology.sites());
    }
    rows.push_back(std::move(row));
  }
  std::fputs((Json{{"collective", collective.name}, {"choices", rows}}.dump(1) + "\n").c_str(),
             stdout);
  return 0;
}

}  // namespace suiro::tools
