// SPDX-License-Identifier: BSD-3-Clause
// Asks the table: the first rule that matches decides.
#include "rules/rules.hpp"

#include <algorithm>
#include <cmath>

namespace suiro {
namespace {

bool matches_shape(const Rule& rule, std::string_view collective, const Topology& topology) {
  if (rule.collective != collective) return false;
  if (!rule.nodes.contains(topology.nodes())) return false;
  if (!rule.ranks.contains(topology.ranks())) return false;
  if (!rule.sites.contains(topology.sites())) return false;
  for (int node = 0; node < topology.nodes(); ++node) {
    if (!rule.ppn.contains(topology.ppn(node))) return false;
  }
  return true;
}

/// The bytes for which a rule holds on a shape.
Range bytes_of(const Rule& rule, const Topology& topology) {
  const double hops = topology.nodes() - 1;
  const double through_port = std::max(rule.port_bytes, rule.port_bytes_per_hop * hops);
  if (through_port == 0 || hops == 0) return rule.bytes;
  const double share = find_collective(rule.collective)->busiest_link(topology);
  const auto least = static_cast<std::int64_t>(std::ceil(through_port / share));
  return {std::max(rule.bytes.minimum, least), rule.bytes.maximum};
}

bool limits(const Range& bytes) { return bytes.minimum > 0 || bytes.maximum != Range::unbounded; }

}  // namespace

RuleTable RuleTable::preceded_by(const RuleTable& first) const {
  RuleTable table = first;
  table.rules_.insert(table.rules_.end(), rules_.begin(), rules_.end());
  return table;
}

std::optional<Decision> RuleTable::decide(const Question& question) const {
  for (const Rule& rule : rules_) {
    if (!matches_shape(rule, question.collective, question.topology)) continue;
    const Range bytes = bytes_of(rule, question.topology);
    const bool matches = question.bytes ? bytes.contains(*question.bytes) : !limits(bytes);
    if (matches) return Decision{rule.algorithm, rule.parameters, rule.reason, rule.unasked};
  }
  return std::nullopt;
}

std::vector<std::int64_t> RuleTable::thresholds(std::string_view collective,
                                                const Topology& topology) const {
  std::vector<std::int64_t> sizes;
  for (const Rule& rule : rules_) {
    if (!matches_shape(rule, collective, topology)) continue;
    const Range bytes = bytes_of(rule, topology);
    if (bytes.minimum > 0) sizes.push_back(bytes.minimum);
    if (bytes.maximum != Range::unbounded) sizes.push_back(bytes.maximum + 1);
    // What comes after a rule that takes every size is never asked.
    if (!limits(bytes)) break;
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string spelled(std::string_view algorithm, const Parameters& parameters) {
  std::string text(algorithm);
  char separator = ':';
  for (const auto& [name, value] : parameters) {
    text += separator + name + "=" + std::to_string(value);
    separator = ',';
  }
  return text;
}

}  // namespace suiro
