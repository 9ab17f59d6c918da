// SPDX-License-Identifier: BSD-3-Clause
// Whatever a file contains, a message is one clean line.
#include "base/message.hpp"

#include <gtest/gtest.h>

#include <array>

namespace suiro {
namespace {

constexpr std::array<std::string_view, 3> names = {"ring", "two_level_ring", "linear"};

TEST(Message, KeepsTextOnOneLine) {
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a?b?[31m?");
  EXPECT_EQ(printable("水路"), "水路");
  EXPECT_EQ(in_quotes(""), "\"\"");
}

TEST(Message, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable("水路水路", 7), "水路...");
}

TEST(Message, SuggestsOnlyNearNames) {
  EXPECT_EQ(did_you_mean("two_levl_ring", names), "; did you mean \"two_level_ring\"?");
  EXPECT_EQ(did_you_mean("rimg", names), "; did you mean \"ring\"?");
  EXPECT_EQ(did_you_mean("bruck", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean(std::string(1000000, 'r'), names), "");
}

TEST(Message, JoinsNames) {
  EXPECT_EQ(joined(names), "ring, two_level_ring, linear");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace suiro
