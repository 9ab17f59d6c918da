// SPDX-License-Identifier: BSD-3-Clause
// A rule file is read whole or refused with the line of its first mistake. Its page and its schema
// must agree with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/message.hpp"
#include "error_message.hpp"
#include "rules/candidates.hpp"
#include "rules/rules.hpp"

namespace suiro {
namespace {

std::string document(const std::string& name) {
  std::ifstream file(std::string(SUIRO_DOCS) + '/' + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string error(std::string_view text) {
  return error_message([&] { RuleTable::parse(text, "r.json"); });
}

/// The message for a file whose one rule, on line 2, has these keys besides a right collective and
/// algorithm.
std::string rule_error(const std::string& keys) {
  return error("{\"suiro_rules\": 1, \"rules\": [\n{\"collective\": \"alltoall\", " +
               ("\"algorithm\": \"linear_capped\",\n" + keys) + "}]}");
}

TEST(RuleFile, ReadsEveryKey) {
  const RuleTable table = RuleTable::parse(
      R"({"$schema": "x", "comment": "y", "suiro_rules": 1, "rules": [
            {"collective": "alltoall", "nodes": [2, null], "ppn": [3, 4], "ranks": 12,
             "bytes": [0, 9223372036854775807], "algorithm": "linear_capped",
             "parameters": {"cap": 4}, "comment": "west\ncluster"}]})",
      "r.json");
  ASSERT_EQ(table.rules().size(), 1U);
  const Rule& rule = table.rules().front();
  EXPECT_EQ(rule.collective, "alltoall");
  EXPECT_EQ(rule.nodes, (Range{2, Range::unbounded}));
  EXPECT_EQ(rule.ppn, (Range{3, 4}));
  EXPECT_EQ(rule.ranks, (Range{12, 12}));
  EXPECT_EQ(rule.bytes, Range{});
  EXPECT_EQ(rule.algorithm, "linear_capped");
  EXPECT_EQ(rule.parameters, (Parameters{{"cap", 4}}));
  EXPECT_EQ(rule.reason, "r.json:2 (west?cluster)");
}

TEST(RuleFile, AcceptsAFileWithoutRules) {
  EXPECT_TRUE(RuleTable::parse(R"({"suiro_rules": 1, "rules": []})", "r").rules().empty());
}

TEST(RuleFile, LocatesMistakesInTheFile) {
  EXPECT_THAT(error("[]"), testing::StartsWith("r.json:1: a rule file is an object: "));
  EXPECT_EQ(error("\n{\"rules\": []}"), "r.json:2: a rule file needs the key \"suiro_rules\"");
  EXPECT_EQ(error("{\"suiro_rules\": 1}"), "r.json:1: a rule file needs the key \"rules\"");
  EXPECT_EQ(error("{\n\"suiro_rules\": 2, \"rules\": []}"),
            "r.json:2: this suiro reads rule files of version 1, not 2");
  EXPECT_EQ(error("{\"suiro_rules\": \"1\", \"rules\": []}"),
            "r.json:1: \"suiro_rules\" is a whole number; this is the string \"1\"");
  EXPECT_EQ(error("{\"suiro_rules\": 1, \"rules\": {}}"),
            "r.json:1: \"rules\" is an array of rules; this is an object");
  EXPECT_EQ(error("{\"suiro_rules\": 1,\n\"ruls\": [], \"rules\": []}"),
            "r.json:2: unknown key \"ruls\"; did you mean \"rules\"? (a rule file has suiro_rules, "
            "rules, comment, $schema)");
  EXPECT_EQ(error("{\"suiro_rules\": 1, \"rules\": [7]}"),
            "r.json:1: a rule is an object; this is the number 7");
}

TEST(RuleFile, LocatesMistakesInNames) {
  const std::string start = "{\"suiro_rules\": 1, \"rules\": [\n{";
  EXPECT_EQ(error(start + "\"algorithm\": \"ring\"}]}"),
            "r.json:2: a rule needs the key \"collective\"");
  EXPECT_EQ(error(start + "\"collective\": \"alltoall\"}]}"),
            "r.json:2: a rule needs the key \"algorithm\"");
  EXPECT_EQ(error(start + "\"collective\": \"altoall\", \"algorithm\": \"ring\"}]}"),
            "r.json:2: unknown collective \"altoall\"; did you mean \"alltoall\"? (there are " +
                joined(collective_names()) + ")");
  EXPECT_THAT(error(start + "\"collective\": \"alltoall\",\n\"algorithm\": \"two_levl_ring\"}]}"),
              testing::StartsWith("r.json:3: unknown algorithm \"two_levl_ring\" for alltoall; did "
                                  "you mean \"two_level_ring\"?"));
  EXPECT_THAT(rule_error("\"byte\": 1"),
              testing::StartsWith("r.json:3: unknown key \"byte\"; did you mean \"bytes\"?"));
  EXPECT_EQ(rule_error("\"nodes\": 1,\n\"nodes\": 2"),
            "r.json:4: the key \"nodes\" was given before, on line 3");
}

TEST(RuleFile, LocatesMistakesInRanges) {
  EXPECT_EQ(rule_error("\"bytes\": -1"), "r.json:3: \"bytes\" is at least 0, not -1");
  EXPECT_EQ(rule_error("\"nodes\": 0"), "r.json:3: \"nodes\" is at least 1, not 0");
  EXPECT_EQ(rule_error("\"ppn\": [1,\n-2]"), "r.json:4: a limit is at least 1, not -2");
  EXPECT_EQ(rule_error("\"ranks\": [5, 4]"),
            "r.json:3: the minimum of \"ranks\", 5, is more than its maximum, 4");
  EXPECT_EQ(rule_error("\"ranks\": [null, 4]"),
            "r.json:3: a limit is a whole number; this is null");
  const std::string form =
      "r.json:3: \"ranks\" is a number or [minimum, maximum]; a maximum of null means no limit";
  EXPECT_EQ(rule_error("\"ranks\": [1, 2, 3]"), form);
  EXPECT_EQ(rule_error("\"ranks\": []"), form);
  EXPECT_EQ(rule_error("\"ranks\": \"4\""), form + "; this is the string \"4\"");
  EXPECT_THAT(rule_error("\"bytes\": 1.5"), testing::HasSubstr("this is a number with a fraction"));
  EXPECT_THAT(rule_error("\"bytes\": [1, 9223372036854775808]"),
              testing::HasSubstr("too many digits"));
}

TEST(RuleFile, LocatesMistakesInParameters) {
  EXPECT_EQ(rule_error("\"parameters\": {\n\"cap\": 0}"),
            "r.json:4: cap of linear_capped is 1 to 1024, not 0");
  EXPECT_EQ(rule_error("\"parameters\": {\n\"cab\": 1}"),
            "r.json:4: unknown parameter \"cab\"; did you mean \"cap\"? (linear_capped takes cap)");
  EXPECT_EQ(rule_error("\"parameters\": {\"cap\": true}"),
            "r.json:3: \"cap\" is a whole number; this is true or false");
  EXPECT_THAT(rule_error("\"parameters\": [4]"), testing::HasSubstr("this is an array"));
  EXPECT_EQ(rule_error("\"comment\": 4"),
            "r.json:3: \"comment\" is a string; this is the number 4");
}

TEST(RuleFile, ReadsTheExampleOfItsPage) {
  const std::string page = document("rule-file.md");
  const std::size_t start = page.find("```json\n") + 8;
  const std::string example = page.substr(start, page.find("```\n", start) - start);
  EXPECT_EQ(RuleTable::parse(example, "rule-file.md").rules().size(), 3U);
}

TEST(RuleFile, AgreesWithItsSchema) {
  const auto schema = nlohmann::json::parse(document("rule-file.schema.json"));
  const auto& rule = schema["$defs"]["rule"]["properties"];
  std::vector<std::string_view> collectives;
  for (const auto& name : rule["collective"]["enum"]) {
    collectives.push_back(name.get_ref<const std::string&>());
  }
  EXPECT_THAT(collectives, testing::ElementsAreArray(collective_names()));
  std::string keys;
  for (const auto& [key, value] : rule.items()) keys += key + ' ';
  EXPECT_EQ(keys, "algorithm bytes collective comment nodes parameters ppn ranks sites ");
  for (const auto& [key, value] : rule.items()) {
    EXPECT_THAT(rule_error("\"" + key + "\": true"),
                testing::Not(testing::HasSubstr("unknown key")));
  }
}

}  // namespace
}  // namespace suiro
