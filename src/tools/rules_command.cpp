// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule rules: what a rule file says.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rules/rules.hpp"
#include "tools/schedules.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Range& range) {
  std::string first = std::to_string(range.minimum);
  if (range.minimum == range.maximum) return first;
  if (range.maximum == Range::unbounded) return range.minimum == 0 ? "any" : first + " on";
  return first + " to " + std::to_string(range.maximum);
}

/// The ranges that say something, such as "4 nodes, 2 on ppn".
std::string where(const Rule& rule) {
  std::string text;
  const auto add = [&](const Range& range, const char* what) {
    if (range == Range{}) return;
    if (!text.empty()) text += ", ";
    text += text_of(range) + " " + what;
  };
  add(rule.nodes, "nodes");
  add(rule.ppn, "per node");
  add(rule.ranks, "ranks");
  add(rule.sites, "sites");
  return text.empty() ? "anywhere" : text;
}

/// A rule's reason begins with FILE:LINE.
int line_of(const Rule& rule, const std::string& path) {
  const std::size_t at = rule.reason.find(path + ":");
  return at == std::string::npos ? 0 : std::atoi(rule.reason.c_str() + at + path.size() + 1);
}

Json table_json(const RuleTable& table, const std::string& path) {
  Json rules = Json::array();
  for (const Rule& rule : table.rules()) {
    rules.push_back({{"line", line_of(rule, path)},
                     {"collective", rule.collective},
                     {"where", where(rule)},
                     {"bytes", text_of(rule.bytes)},
                     {"algorithm", spelled(rule.algorithm, rule.parameters)}});
  }
  return {{"rules", rules}};
}

}  // namespace

int rules_command(Arguments arguments) {
  const std::string path = arguments.take_positional().value_or("");
  arguments.expect_none_left();
  const RuleTable table = RuleTable::parse(read_text(path), path);
  std::fputs((table_json(table, path).dump(1) + "\n").c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
