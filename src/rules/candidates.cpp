// SPDX-License-Identifier: BSD-3-Clause
// Looks names up in the catalog and words what is wrong with one, the same for rule files and
// forced algorithms.
#include "rules/candidates.hpp"

#include "base/message.hpp"
#include "rules/rules.hpp"

namespace suiro {

namespace {

/// Where only the root knows how large blocks are, nobody else can hand them on.
bool can_run(const Collective& collective, const Algorithm& algorithm) {
  return algorithm.collective == collective.regular &&
         (collective.sizes != Sizes::at_root || declares(algorithm, Property::direct));
}

}  // namespace

std::vector<std::string_view> collective_names() {
  std::vector<std::string_view> names;
  for (const Collective& collective : collectives()) names.push_back(collective.name);
  return names;
}

const Algorithm* find_candidate(std::string_view collective, std::string_view algorithm) {
  const Collective* row = find_collective(collective);
  const Algorithm* found = row == nullptr ? nullptr : find_algorithm(row->regular, algorithm);
  return found != nullptr && can_run(*row, *found) ? found : nullptr;
}

std::vector<std::string_view> candidate_names(std::string_view collective) {
  std::vector<std::string_view> names = {native_algorithm};
  const Collective* row = find_collective(collective);
  if (row == nullptr) return names;
  for (const Algorithm& algorithm : catalog()) {
    if (can_run(*row, algorithm)) names.push_back(algorithm.name);
  }
  return names;
}

std::string unknown_algorithm(std::string_view collective, std::string_view algorithm) {
  const std::vector<std::string_view> names = candidate_names(collective);
  const Collective* row = find_collective(collective);
  if (row != nullptr && find_algorithm(row->regular, algorithm) != nullptr) {
    return std::string(algorithm) +
           " has ranks hand on blocks of others, whose sizes only the root of " +
           std::string(collective) + " knows (there are " + joined(names) + ")";
  }
  const std::string list = " (there are " + joined(names) + "; `suiro algorithms` explains them)";
  return "unknown algorithm " + in_quotes(algorithm) + " for " + std::string(collective) +
         did_you_mean(algorithm, names) + list;
}

std::string wrong_parameter(const Algorithm* algorithm, std::string_view name, std::int64_t value) {
  if (algorithm == nullptr) return "native takes no parameters";
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : algorithm->parameters) {
    if (spec.name != name) {
      names.push_back(spec.name);
      continue;
    }
    if (spec.minimum <= value && value <= spec.maximum) return "";
    return std::string(name) + " of " + std::string(algorithm->name) + " is " +
           std::to_string(spec.minimum) + " to " + std::to_string(spec.maximum) + ", not " +
           std::to_string(value);
  }
  if (names.empty()) return std::string(algorithm->name) + " takes no parameters";
  return "unknown parameter " + in_quotes(name) + did_you_mean(name, names) + " (" +
         std::string(algorithm->name) + " takes " + joined(names) + ")";
}

}  // namespace suiro
