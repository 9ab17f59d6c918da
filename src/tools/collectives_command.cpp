// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule collectives: the table of collectives. suiro-schedule bound: what no algorithm can
// beat on a shape.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "collectives/collectives.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Collective& collective) {
  return {{"name", collective.name},         {"regular", collective.regular},
          {"summary", collective.summary},   {"rooted", collective.rooted},
          {"reduces", collective.reduces},   {"unequal", collective.unequal()},
          {"bytes", name(collective.bytes)}, {"bound", collective.bound_text}};
}

const Collective& take_collective(Arguments& arguments) {
  const std::string text = arguments.take_positional().value_or("");
  if (const Collective* found = find_collective(text)) return *found;
  std::string names;
  for (const Collective& collective : collectives()) {
    names += (names.empty() ? "" : ", ") + std::string(collective.name);
  }
  throw UsageError("'" + text + "' is no collective; there are " + names);
}

}  // namespace

int collectives_command(Arguments arguments) {
  const bool json = arguments.take_flag("--json");
  arguments.expect_none_left();
  Json list = Json::array();
  for (const Collective& collective : collectives()) {
    if (json) {
      list.push_back(json_of(collective));
    } else {
      std::printf("%-20s %s\n", std::string(collective.name).c_str(),
                  std::string(collective.summary).c_str());
    }
  }
  if (json) std::puts(Json{{"collectives", list}}.dump(2).c_str());
  return 0;
}

int bound_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = std::int64_t{1} << 20;
  const auto bytes = arguments.take_number("--bytes", 0, INT64_MAX).value_or(1);
  const Topology topology = take_topology(arguments, "bound", ranks_max);
  const Collective& collective = take_collective(arguments);
  arguments.expect_none_left();
  const Json document = {{"collective", collective.name},
                         {"bytes", bytes},
                         {"busiest_link_bytes", bound_s(collective, topology, bytes, 1)}};
  std::puts(document.dump(2).c_str());
  return 0;
}

}  // namespace suiro::tools
