// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule choose: what the preloaded library would run where no rule says anything, and why.
#include <cstdio>
#include <nlohmann/json.hpp>

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
  if (Bps) known.link.Bps = static_cast<double>(*Bps);
  if (startup_ns) known.link.startup_s = 1e-9 * static_cast<double>(*startup_ns);
  const std::optional<std::string> path = arguments.take_option("--network");
  if (path) {
    const NetworkFile file = parse_network(read_text(*path), *path);
    known.network = file.network;
    topology = at_sites(topology, file.site_of_node);
  }
  return known;
}

}  // namespace

int choose_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::vector<std::int64_t> sizes = arguments.take_sizes("choose");
  Request request = take_request(arguments, "choose", ranks_max);
  Chooser chooser(take_surroundings(arguments, request.topology));
  const Collective& collective = arguments.take_collective();
  arguments.expect_none_left();
  Json rows = Json::array();
  for (const std::int64_t bytes : sizes) {
    const Decision decision = chooser.choose(collective, request.topology, bytes);
    rows.push_back({{"bytes", bytes},
                    {"algorithm", decision.algorithm},
                    {"parameters", decision.parameters},
                    {"reason", decision.reason}});
  }
  std::fputs((Json{{"collective", collective.name}, {"choices", rows}}.dump(1) + "\n").c_str(),
             stdout);
  return 0;
}

}  // namespace suiro::tools
