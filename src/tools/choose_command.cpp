// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule choose: what the preloaded library would run, and why.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "choose/bound_rules.hpp"
#include "choose/choose.hpp"
#include "model/network_json.hpp"
#include "tools/schedules.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

Surroundings take_surroundings(Arguments& arguments, Topology& topology) {
  Surroundings known;
  known.mpi = arguments.take_option("--mpi").value_or("");
  known.release = static_cast<int>(arguments.take_number("--release", 0, 999).value_or(0));
  const auto Bps = arguments.take_number("--link-Bps", 1, std::int64_t{1} << 50);
  const auto startup_ns = arguments.take_number("--startup-ns", 0, std::int64_t{1} << 40);
  const auto processors = arguments.take_number("--processors", 0, 1 << 16);
  known.processors = static_cast<int>(processors.value_or(0));
  known.node_memory = true;
  known.rate_known = Bps.has_value();
  if (Bps) known.link.Bps = static_cast<double>(*Bps);
  if (startup_ns) known.link.startup_s = 1e-9 * static_cast<double>(*startup_ns);
  const std::optional<std::string> path = arguments.take_option("--network");
  if (path) {
    known.network = parse_network(read_text(*path), *path);
    topology = at_sites(topology, known.network->site_of_node);
  }
  return known;
}

/// As the library does: the user's rules, the bound, the model.
RuleTable take_rules(Arguments& arguments, const Surroundings& known) {
  const std::optional<std::string> path = arguments.take_option("--rules");
  RuleTable table = bound_rules(known.link, known.processors);
  return path ? table.preceded_by(RuleTable::parse(read_text(*path), *path)) : table;
}

Json decision_json(const Decision& decision, std::int64_t bytes, double seconds) {
  return {{"bytes", bytes},
          {"algorithm", spelled(decision.algorithm, decision.parameters)},
          {"reason", decision.reason},
          {"decided_in_s", seconds}};
}

}  // namespace

int choose_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::vector<std::int64_t> sizes = arguments.take_sizes("choose");
  Request request = take_request(arguments, "choose", ranks_max);
  const Surroundings known = take_surroundings(arguments, request.topology);
  const RuleTable rules = take_rules(arguments, known);
  const Collective& collective = arguments.take_collective();
  arguments.expect_none_left();
  Chooser chooser(known);
  Json rows = Json::array();
  for (const std::int64_t bytes : sizes) {
    const auto begin = std::chrono::steady_clock::now();
    const auto said = rules.decide({collective.name, request.topology, bytes});
    const Decision decision = said ? *said : chooser.choose(collective, request.topology, bytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    rows.push_back(decision_json(decision, bytes, took.count()));
  }
  std::fputs((Json{{"collective", collective.name}, {"choices", rows}}.dump(1) + "\n").c_str(),
             stdout);
  return 0;
}

}  // namespace suiro::tools
