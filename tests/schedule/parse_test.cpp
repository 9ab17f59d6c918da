// SPDX-License-Identifier: BSD-3-Clause
// Wrong and hostile texts: an error with the line, and nothing stored beyond the text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

#include "schedule/schedule.hpp"

namespace suiro {
namespace {

const std::string text =
    "suiro-schedule 1\n"          // line 1
    "collective alltoall\n"       // 2
    "algorithm sample\n"          // 3
    "ranks 2\n"                   // 4
    "nodes 0 1\n"                 // 5
    "rounds 2\n"                  // 6
    "window 1\n"                  // 7
    "lookahead 0\n"               // 8
    "scratch 0\n"                 // 9
    "rank 0\n"                    // 10
    "round 0\n"                   // 11
    "send send[1] -> 1\n"         // 12
    "round 1 fence\n"             // 13
    "receive receive[1] <- 1\n";  // 14

std::string error_of(std::string_view wrong) {
  try {
    (void)parse(wrong, "file");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

std::string error_after(const std::string& from, const std::string& to) {
  std::string wrong = text;
  return error_of(wrong.replace(wrong.find(from), from.size(), to));
}

TEST(Parse, ErrorsNameTheLineAndWhatWasExpected) {
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_EQ(error_of(""), "file:1: expected 'suiro-schedule', found the end of the line");
  EXPECT_EQ(error_after("suiro-schedule 1", "suiro-schedule 2"),
            "file:1: expected suiro-schedule from 1 to 1, found '2'");
  EXPECT_EQ(error_after("ranks 2", "ranks 0"), "file:4: expected ranks from 1 to 65536, found '0'");
  EXPECT_EQ(error_after("nodes 0 1", "nodes 0 2"),
            "file:5: expected a node from 0 to 1, found '2'");
  EXPECT_EQ(error_after("nodes 0 1", "nodes 0"),
            "file:6: expected nodes for 2 ranks, not for 1, found 'rounds 2'");
  EXPECT_EQ(error_after("window 1", "window one"),
            "file:7: expected window from 1 to 1048576, found 'one'");
  EXPECT_EQ(error_after("lookahead 0", "lookahead 0 0"),
            "file:8: expected the end of the line, found '0'");
  EXPECT_EQ(error_after("round 0", "round 2"), "file:11: expected a round from 0 to 1, found '2'");
  EXPECT_EQ(error_after("send[1]", "sand[1]"),
            "file:12: expected send[...], receive[...], scratch[...], work[...] or "
            "shared[...], found 'sand[1] -> 1'");
  EXPECT_EQ(error_after("scratch 0", "scratch 0\nwork 1"),
            "file:10: expected the end of the line, found '1'");
  EXPECT_EQ(error_after("scratch 0", "work\nscratch 0"),
            "file:9: expected 'scratch', found 'work'");
  EXPECT_EQ(error_after("-> 1", "<- 1"), "file:12: expected '->', found '<- 1'");
  EXPECT_EQ(error_after("round 1 fence", "round 0 fence"),
            "file:13: expected ranks and rounds in ascending order, found 'fence'");
  EXPECT_EQ(error_after("receive receive[1] <- 1", "jump"),
            "file:14: expected a round, a step or a rank, found 'jump'");
}

TEST(Parse, CommentsBlankLinesAndWindowsLineEndsAreFine) {
  std::string other = "# a comment\r\n\n" + text;
  for (std::size_t at = 0; (at = other.find("\nround", at)) != std::string::npos; at += 3) {
    other.replace(at, 1, "\r\n");
  }
  EXPECT_TRUE(equal(parse(other), parse(text)));
}

TEST(Parse, HostileBytesAreShownHarmlessAndShort) {
  EXPECT_EQ(error_after("round 0", std::string("round \x1b[2J\0\xff", 12)),
            "file:11: expected a round from 0 to 1, found '?[2J?"
            "?'");
  EXPECT_THAT(error_after("round 0", std::string(3000, 'y')), testing::SizeIs(testing::Lt(120)));
  EXPECT_THAT(error_after("round 0", std::string(5000, ' ')),
              testing::HasSubstr("a line of at most 4096 bytes"));
}

TEST(Parse, NumbersCannotMakeItStoreMore) {
  EXPECT_THAT(error_after("rounds 2", "rounds 524289"), testing::HasSubstr("from 0 to 524288"));
  EXPECT_THAT(error_after("send[1]", "send[99999999999999999999]"),
              testing::HasSubstr("file:12: expected a block"));
  EXPECT_THAT(error_after("nodes 0 1", "nodes 0 1 0 1"), testing::HasSubstr("file:5: expected no"));
  std::string large = text;
  large.replace(large.find("rounds 2"), 8, "rounds 524288");
  const Schedule schedule = parse(large);
  Round round;
  schedule.round(1, 524287, round);
  EXPECT_EQ(round, Round{}) << "rounds that the text leaves out are empty";
}

TEST(Parse, SurvivesRandomDamage) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = text;
    for (unsigned n = random() % 4 + 1; n > 0; --n) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 3) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1:
          damaged.erase(at, random() % 9);
          break;
        default:
          damaged.insert(at, damaged.substr(random() % damaged.size(), 9));
      }
    }
    try {
      const Schedule schedule = parse(damaged);
      EXPECT_TRUE(equal(parse(print(schedule)), schedule));
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("schedule:"));
    }
  }
}

}  // namespace
}  // namespace suiro
