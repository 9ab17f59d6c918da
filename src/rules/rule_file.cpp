// SPDX-License-Identifier: BSD-3-Clause
// Reads a rule file (docs/rule-file.md). Everything in it is checked here, and whatever is wrong is
// reported with its line: a rule that is misspelt and therefore silently ignored would be found by
// nobody.
#include <algorithm>
#include <array>
#include <string>

#include "base/message.hpp"
#include "rules/candidates.hpp"
#include "rules/json_lines.hpp"
#include "rules/rules.hpp"

namespace suiro {
namespace {

using Kind = LocatedJson::Kind;

constexpr std::int64_t format_version = 1;
constexpr std::array<std::string_view, 4> file_keys = {"suiro_rules", "rules", "comment",
                                                       "$schema"};
constexpr std::array<std::string_view, 9> rule_keys = {
    "collective", "nodes", "ppn", "ranks", "sites", "bytes", "algorithm", "parameters", "comment"};

class RuleReader {
 public:
  explicit RuleReader(std::string_view name) : name_(name) {}

  std::vector<Rule> read_file(const LocatedJson& file) const {
    expect(file, Kind::object, "a rule file is an object: {\"suiro_rules\": 1, \"rules\": [...]}");
    check_keys(file, file_keys, "a rule file");
    const std::int64_t version = integer(required(file, "suiro_rules", "a rule file"));
    if (version != format_version) {
      fail(*file.find("suiro_rules"), "this suiro reads rule files of version " +
                                          std::to_string(format_version) + ", not " +
                                          std::to_string(version));
    }
    const LocatedJson& list = required(file, "rules", "a rule file");
    expect(list, Kind::array, "\"rules\" is an array of rules");
    std::vector<Rule> rules;
    for (const LocatedJson& element : list.elements) rules.push_back(read_rule(element));
    return rules;
  }

 private:
  Rule read_rule(const LocatedJson& object) const {
    expect(object, Kind::object, "a rule is an object");
    check_keys(object, rule_keys, "a rule");
    Rule rule;
    rule.collective = read_collective(required(object, "collective", "a rule"));
    rule.nodes = read_range(object.find("nodes"), 1);
    rule.ppn = read_range(object.find("ppn"), 1);
    rule.ranks = read_range(object.find("ranks"), 1);
    rule.sites = read_range(object.find("sites"), 1);
    rule.bytes = read_range(object.find("bytes"), 0);
    const LocatedJson& algorithm = required(object, "algorithm", "a rule");
    rule.algorithm = string(algorithm);
    const Algorithm* row = find_candidate(rule.collective, rule.algorithm);
    if (row == nullptr && rule.algorithm != native_algorithm) {
      fail(algorithm, unknown_algorithm(rule.collective, rule.algorithm));
    }
    rule.parameters = read_parameters(object.find("parameters"), row);
    rule.reason = reason(object);
    return rule;
  }

  std::string read_collective(const LocatedJson& value) const {
    const std::string& text = string(value);
    const auto names = collective_names();
    if (std::ranges::find(names, text) == names.end()) {
      fail(value, "unknown collective " + in_quotes(text) + did_you_mean(text, names) +
                      " (there are " + joined(names) + ")");
    }
    return text;
  }

  Range read_range(const LocatedJson* value, std::int64_t lowest) const {
    if (value == nullptr) return {};
    if (value->kind == Kind::integer) {
      return {at_least(*value, lowest), value->integer};
    }
    const std::string expected = in_quotes(value->key) +
                                 " is a number or [minimum, maximum]; a "
                                 "maximum of null means no limit";
    expect(*value, Kind::array, expected);
    if (value->elements.size() != 2) fail(*value, expected);
    const LocatedJson& maximum = value->elements[1];
    Range range;
    range.minimum = at_least(value->elements[0], lowest);
    if (maximum.kind != Kind::null) range.maximum = at_least(maximum, lowest);
    if (range.minimum > range.maximum) {
      fail(*value, "the minimum of " + in_quotes(value->key) + ", " +
                       std::to_string(range.minimum) + ", is more than its maximum, " +
                       std::to_string(range.maximum));
    }
    return range;
  }

  Parameters read_parameters(const LocatedJson* object, const Algorithm* algorithm) const {
    Parameters parameters;
    if (object == nullptr) return parameters;
    expect(*object, Kind::object,
           "\"parameters\" is an object of numbers, such as {\"window\": 4}");
    for (const LocatedJson& member : object->elements) {
      const std::string wrong = wrong_parameter(algorithm, member.key, integer(member));
      if (!wrong.empty()) fail(member, wrong);
      parameters.emplace(member.key, member.integer);
    }
    return parameters;
  }

  /// Where the rule is, and its author's comment.
  std::string reason(const LocatedJson& rule) const {
    std::string text = std::string(name_) + ':' + std::to_string(rule.line);
    if (const LocatedJson* comment = rule.find("comment")) {
      text += " (" + printable(string(*comment), 120) + ')';
    }
    return text;
  }

  void check_keys(const LocatedJson& object, std::span<const std::string_view> known,
                  std::string_view owner) const {
    for (const LocatedJson& member : object.elements) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      fail(member, "unknown key " + in_quotes(member.key) + did_you_mean(member.key, known) + " (" +
                       std::string(owner) + " has " + joined(known) + ")");
    }
  }

  const LocatedJson& required(const LocatedJson& object, std::string_view key,
                              std::string_view owner) const {
    const LocatedJson* member = object.find(key);
    if (member == nullptr) {
      fail(object, std::string(owner) + " needs the key " + in_quotes(key));
    }
    return *member;
  }

  const std::string& string(const LocatedJson& value) const {
    expect(value, Kind::string, subject(value) + " is a string");
    return value.string;
  }

  std::int64_t integer(const LocatedJson& value) const {
    expect(value, Kind::integer, subject(value) + " is a whole number");
    return value.integer;
  }

  std::int64_t at_least(const LocatedJson& value, std::int64_t lowest) const {
    if (integer(value) < lowest) {
      fail(value, subject(value) + " is at least " + std::to_string(lowest) + ", not " +
                      std::to_string(value.integer));
    }
    return value.integer;
  }

  /// A value without a key is one of the two limits of a range.
  static std::string subject(const LocatedJson& value) {
    return value.key.empty() ? "a limit" : in_quotes(value.key);
  }

  void expect(const LocatedJson& value, Kind kind, const std::string& expected) const {
    if (value.kind != kind) fail(value, expected + "; this is " + value.describe());
  }

  [[noreturn]] void fail(const LocatedJson& value, std::string_view what) const {
    throw located_error(name_, value.line, what);
  }

  std::string_view name_;
};

}  // namespace

RuleTable RuleTable::parse(std::string_view text, std::string_view name) {
  RuleTable table;
  const RuleReader reader(name);
  table.rules_ = reader.read_file(parse_json(text, name));
  return table;
}

}  // namespace suiro
