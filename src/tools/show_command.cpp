// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "tools/arguments.hpp"

namespace suiro::tools {

namespace {

Topology topology_of(int nodes, int ppn, const std::string& order) {
  if (order == "block") return Topology::block(nodes, ppn);
  if (order == "round_robin") return Topology::round_robin(nodes, ppn);
  throw UsageError("--order takes block or round_robin, not '" + order + "'");
}

Parameters take_parameters(Arguments& arguments) {
  Parameters parameters;
  while (const std::optional<std::string> text = arguments.take_option("--parameter")) {
    const std::size_t equals = text->find('=');
    if (equals == std::string::npos) {
      throw UsageError("--parameter takes NAME=VALUE, not '" + *text + "'");
    }
    parameters[text->substr(0, equals)] =
        number(text->substr(equals + 1), "a parameter", INT64_MIN, INT64_MAX);
  }
  return parameters;
}

}  // namespace

int show_command(Arguments arguments) {
  const auto nodes = arguments.take_number("--nodes", 1, TextLimits::ranks);
  const auto ppn = arguments.take_number("--ppn", 1, TextLimits::ranks);
  const std::string order = arguments.take_option("--order").value_or("block");
  const Parameters parameters = take_parameters(arguments);
  const std::string name = arguments.take_positional().value_or("");
  arguments.expect_none_left();
  if (!nodes || !ppn) throw UsageError("show needs --nodes and --ppn");
  const Algorithm* algorithm = find_named(name);
  if (algorithm == nullptr) {
    throw UsageError("unknown algorithm '" + name + "'; there are " + algorithm_names());
  }
  const Topology topology = topology_of(static_cast<int>(*nodes), static_cast<int>(*ppn), order);
  const std::string text = print(build(*algorithm, topology, parameters));
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
