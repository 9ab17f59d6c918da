// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule collectives: the table of collectives. suiro-schedule bound: what no algorithm can
// beat on a shape.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "collectives/collectives.hpp"
#include "rules/candidates.hpp"
#include "rules/rules.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

// A call that tells how ranks differ: its root is neither the first rank nor the last.
constexpr Instance sample{.ranks = 3, .root = 1, .pieces = 1};

std::string_view in_words(std::int64_t blocks) {
  if (blocks == 0) return "none";
  return blocks == 1 ? "one" : "one per rank";
}

Json blocks_of(std::int64_t (*count)(const Instance&, int)) {
  return {{"root", in_words(count(sample, sample.root))},
          {"others", in_words(count(sample, sample.ranks - 1))}};
}

/// Whose vectors are reduced to what a rank gets.
std::string_view operands_of(const Collective& collective) {
  if (!collective.reduces) return "none";
  const int last = collective.expected(sample, sample.root, 0).last;
  if (last == sample.ranks) return "all";
  return last == sample.root ? "before own" : "up to own";
}

Json algorithms_of(const Collective& collective) {
  Json names = Json::array();
  for (const std::string_view algorithm : candidate_names(collective.name)) {
    if (algorithm != native_algorithm) names.push_back(algorithm);
  }
  return names;
}

Json collective_json(const Collective& collective) {
  return {{"name", collective.name},
          {"regular", collective.regular},
          {"summary", collective.summary},
          {"rooted", collective.rooted},
          {"reduces", collective.reduces},
          {"unequal", collective.unequal()},
          {"sizes", name(collective.sizes)},
          {"bytes", name(collective.bytes)},
          {"sends", blocks_of(collective.send_blocks)},
          {"gets", blocks_of(collective.receive_blocks)},
          {"operands", operands_of(collective)},
          {"algorithms", algorithms_of(collective)},
          {"bound", collective.bound_text}};
}

}  // namespace

int collectives_command(Arguments arguments) {
  const bool json = arguments.take_flag("--json");
  arguments.expect_none_left();
  Json list = Json::array();
  for (const Collective& collective : collectives()) {
    if (json) {
      list.push_back(collective_json(collective));
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
  const Collective& collective = arguments.take_collective();
  arguments.expect_none_left();
  const Json document = {{"collective", collective.name},
                         {"bytes", bytes},
                         {"busiest_link_bytes", bound_s(collective, topology, bytes, 1)}};
  std::puts(document.dump(2).c_str());
  return 0;
}

}  // namespace suiro::tools
