// SPDX-License-Identifier: BSD-3-Clause
// Every value must know its line, whatever stands around it, and every limit must hold.
#include "rules/json_lines.hpp"

#include <gtest/gtest.h>

#include "error_message.hpp"

namespace suiro {
namespace {

std::string error(std::string_view text) {
  return error_message([&] { parse_json(text, "f"); });
}

TEST(JsonLines, GivesEveryValueItsLine) {
  const LocatedJson root = parse_json("\n{\"a\":\n1\n,\n\"b\": [7\n,8\n,\n{}\n]}", "f");
  EXPECT_EQ(root.line, 2);
  EXPECT_EQ(root.find("a")->line, 2);  // of a member, where its key is
  const LocatedJson& list = *root.find("b");
  EXPECT_EQ(list.line, 5);
  EXPECT_EQ(list.elements[0].line, 5);
  EXPECT_EQ(list.elements[1].line, 6);
  EXPECT_EQ(list.elements[2].line, 8);
  EXPECT_EQ(root.find("c"), nullptr);
}

TEST(JsonLines, TellsKindsApart) {
  const LocatedJson root =
      parse_json(R"([null, true, -3, 1.5, 9223372036854775808, "x", [], {}])", "f");
  const auto& elements = root.elements;
  EXPECT_EQ(elements[0].describe(), "null");
  EXPECT_EQ(elements[1].describe(), "true or false");
  EXPECT_EQ(elements[2].describe(), "the number -3");
  EXPECT_EQ(elements[3].kind, LocatedJson::Kind::other_number);
  EXPECT_EQ(elements[4].kind, LocatedJson::Kind::other_number);
  EXPECT_EQ(elements[5].describe(), "the string \"x\"");
  EXPECT_EQ(elements[6].describe(), "an array");
  EXPECT_EQ(elements[7].describe(), "an object");
}

TEST(JsonLines, LocatesSyntaxErrors) {
  EXPECT_EQ(error("{\n\"a\": 1,\n}"),
            "f:3: syntax error while parsing object key - unexpected '}'; expected string literal");
  EXPECT_EQ(error(""),
            "f:1: syntax error while parsing value - unexpected end of input; expected '[', '{', "
            "or a literal");
  EXPECT_EQ(error("[1,\n2\n").substr(0, 4), "f:2:");
  EXPECT_EQ(error("{}\n{}").substr(0, 4), "f:2:");
  EXPECT_EQ(error("[1e999]"), "f:1: number overflow parsing '1e999'");
  EXPECT_EQ(error("[\"\xff\xfe\"]").substr(0, 4), "f:1:");
}

TEST(JsonLines, RefusesKeysThatOccurTwice) {
  EXPECT_EQ(error("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"),
            "f:3: the key \"a\" was given before, on line 1");
}

TEST(JsonLines, RefusesWhatFollowsAZeroByte) {
  EXPECT_EQ(error(std::string_view("{}\n\0{", 5)),
            "f:2: there is a zero byte; the file must be text");
}

TEST(JsonLines, BoundsBytesDepthAndKeys) {
  EXPECT_EQ(error(std::string(json_bytes_max + 1, ' ')),
            "f:1: the file is larger than 1 MiB; shorten it");
  EXPECT_EQ(error(std::string(json_depth_max, '[') + std::string(json_depth_max, ']')), "no error");
  EXPECT_EQ(error(std::string(json_bytes_max, '[')),
            "f:1: arrays and objects are nested more than 8 deep");
  std::string many = "{";
  for (std::size_t i = 0; i <= json_members_max; ++i) many += '"' + std::to_string(i) + "\":1,";
  EXPECT_EQ(error(many), "f:1: an object has more than 64 keys");
}

}  // namespace
}  // namespace suiro
