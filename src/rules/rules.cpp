// SPDX-License-Identifier: BSD-3-Clause
// Asks the table: the first rule that matches decides, else native.
#include "rules/rules.hpp"

#include <algorithm>

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

bool limits_bytes(const Rule& rule) {
  return rule.bytes.minimum > 0 || rule.bytes.maximum != Range::unbounded;
}

bool matches_bytes(const Rule& rule, std::optional<std::int64_t> bytes) {
  return bytes ? rule.bytes.contains(*bytes) : !limits_bytes(rule);
}

}  // namespace

RuleTable RuleTable::preceded_by(const RuleTable& first) const {
  RuleTable table = first;
  table.rules_.insert(table.rules_.end(), rules_.begin(), rules_.end());
  return table;
}

Decision RuleTable::decide(const Question& question) const {
  for (const Rule& rule : rules_) {
    if (!matches_shape(rule, question.collective, question.topology)) continue;
    if (matches_bytes(rule, question.bytes)) return {rule.algorithm, rule.parameters, rule.reason};
  }
  return {std::string(native_algorithm), {}, "no rule matches"};
}

std::vector<std::int64_t> RuleTable::thresholds(std::string_view collective,
                                                const Topology& topology) const {
  std::vector<std::int64_t> sizes;
  for (const Rule& rule : rules_) {
    if (!matches_shape(rule, collective, topology)) continue;
    if (rule.bytes.minimum > 0) sizes.push_back(rule.bytes.minimum);
    if (rule.bytes.maximum != Range::unbounded) sizes.push_back(rule.bytes.maximum + 1);
    // What comes after a rule that takes every size is never asked.
    if (!limits_bytes(rule)) break;
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace suiro
