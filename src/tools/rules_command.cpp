// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule rules: what a rule file says, and which of its rules decides for a call.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "rules/rules.hpp"
#include "tools/schedules.hpp"
#include "tools/shape.hpp"

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

std::string text_of(const std::string& algorithm, const Parameters& parameters) {
  std::string text = algorithm;
  char before = ':';
  for (const auto& [name, value] : parameters) {
    text += before + name + "=" + std::to_string(value);
    before = ',';
  }
  return text;
}

/// A rule's reason begins with FILE:LINE.
int line_of(const Rule& rule, const std::string& path) {
  const std::size_t at = rule.reason.find(path + ":");
  return at == std::string::npos ? 0 : std::atoi(rule.reason.c_str() + at + path.size() + 1);
}

Json json_of(const RuleTable& table, const std::string& path) {
  Json rules = Json::array();
  for (const Rule& rule : table.rules()) {
    rules.push_back({{"line", line_of(rule, path)},
                     {"collective", rule.collective},
                     {"where", where(rule)},
                     {"bytes", text_of(rule.bytes)},
                     {"algorithm", text_of(rule.algorithm, rule.parameters)}});
  }
  return {{"rules", rules}};
}

}  // namespace

int rules_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 20;
  const auto bytes = arguments.take_number("--bytes", 0, INT64_MAX);
  std::optional<Topology> topology;
  if (bytes) topology = take_topology(arguments, "rules", ranks_max);
  const std::string path = arguments.take_positional().value_or("");
  const std::optional<std::string> collective = arguments.take_positional();
  arguments.expect_none_left();
  if (bytes.has_value() != collective.has_value()) {
    throw UsageError("rules takes FILE, or FILE COLLECTIVE SHAPE --bytes N");
  }
  const RuleTable table = RuleTable::parse(read_text(path), path);
  if (!collective) {
    std::fputs((json_of(table, path).dump(1) + "\n").c_str(), stdout);
    return 0;
  }
  const Decision made = table.decide({*collective, *topology, bytes})
                            .value_or(Decision{"", {}, "no rule matches: the model chooses"});
  const Json answer = {{"algorithm", text_of(made.algorithm, made.parameters)},
                       {"reason", made.reason}};
  std::fputs((answer.dump(1) + "\n").c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
