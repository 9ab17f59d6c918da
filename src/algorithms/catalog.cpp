// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/catalog.hpp"

#include <algorithm>
#include <stdexcept>

namespace suiro {

std::string_view name(Property property) {
  switch (property) {
    case Property::one_peer_per_node_per_round:
      return "one_peer_per_node_per_round";
    case Property::direct:
      return "direct";
    case Property::ordered:
      return "ordered";
    case Property::same_everywhere:
      return "same_everywhere";
    case Property::in_place:
      return "in_place";
    case Property::port_optimal:
      return "port_optimal";
  }
  return "unknown";
}

bool declares(const Algorithm& algorithm, Property property) {
  return std::ranges::find(algorithm.properties, property) != algorithm.properties.end();
}

const Algorithm* find_algorithm(std::string_view collective, std::string_view name) {
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

namespace {

[[noreturn]] void fail(const Algorithm& algorithm, const std::string& reason) {
  throw std::invalid_argument(std::string(algorithm.name) + ": " + reason);
}

std::string names_of(std::span<const ParameterSpec> specs) {
  if (specs.empty()) return "it takes none";
  std::string names = "it takes";
  for (const ParameterSpec& spec : specs) names += " " + std::string(spec.name);
  return names;
}

void check_names(const Algorithm& algorithm, const Parameters& given) {
  for (const auto& [name, value] : given) {
    if (std::ranges::find(algorithm.parameters, name, &ParameterSpec::name) ==
        algorithm.parameters.end()) {
      fail(algorithm, "unknown parameter '" + name + "'; " + names_of(algorithm.parameters));
    }
  }
}

}  // namespace

Parameters complete(const Algorithm& algorithm, const Parameters& given) {
  check_names(algorithm, given);
  Parameters result;
  for (const ParameterSpec& spec : algorithm.parameters) {
    const auto found = given.find(spec.name);
    const std::int64_t value = found == given.end() ? spec.fallback : found->second;
    if (value < spec.minimum || value > spec.maximum) {
      fail(algorithm, "parameter '" + std::string(spec.name) + "' must be from " +
                          std::to_string(spec.minimum) + " to " + std::to_string(spec.maximum) +
                          ", not " + std::to_string(value));
    }
    result.emplace(spec.name, value);
  }
  return result;
}

Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& given) {
  const Topology& topology = call.topology;
  const Parameters parameters = complete(algorithm, given);
  Schedule schedule = algorithm.build(call, parameters);
  schedule.node_of_rank.reserve(topology.ranks());
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    schedule.node_of_rank.push_back(topology.node(rank));
  }
  return schedule;
}

}  // namespace suiro
