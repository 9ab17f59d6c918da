// SPDX-License-Identifier: BSD-3-Clause
// Shared blocks: what must be in order is, and what is not is told with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "verify/verify.hpp"

namespace suiro {
namespace {

using testing::HasSubstr;

/// Two pieces from rank 0 to rank 1 through one shared block: the second is written when rank 1 has
/// told that it has read the first.
std::string broadcast(const std::string& nodes = "0 0") {
  return "suiro-schedule 1\ncollective bcast\nalgorithm test\nranks 2\nnodes " + nodes +
         "\npieces 2\nrounds 3\nwindow 1\nlookahead 0\nscratch 0\nshared 1\n"
         "rank 0\n"
         "round 0\n"
         "  copy send[0] -> shared[0 of 0]\n"
         "  send shared[0 x 0] -> 1\n"
         "  receive scratch[0 x 0] <- 1\n"
         "round 1\n"
         "  copy send[1] -> shared[0 of 1]\n"
         "  send shared[0 x 0] -> 1\n"
         "rank 1\n"
         "round 0\n"
         "  receive shared[0 x 0] <- 0\n"
         "round 1\n"
         "  copy shared[0 of 0] of 0 -> receive[0]\n"
         "  send scratch[0 x 0] -> 0\n"
         "  receive shared[0 x 0] <- 0\n"
         "round 2\n"
         "  copy shared[0 of 1] of 0 -> receive[1]\n";
}

std::string without(std::string text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.erase(at, part.size());
}

std::string first_violation(const std::string& text) {
  const std::vector<Violation> found = verify(parse(text));
  return found.empty() ? "" : found.front().describe();
}

TEST(Shared, IsProvenWhereMessagesKeepTheOrder) { EXPECT_EQ(first_violation(broadcast()), ""); }

TEST(Shared, SurvivesTheTextForm) {
  const Schedule schedule = parse(broadcast());
  EXPECT_EQ(schedule.shared, 1);
  EXPECT_TRUE(equal(parse(print(schedule)), schedule));
}

TEST(Shared, MayNotBeReadBeforeASignal) {
  std::string text = without(broadcast(), "  send shared[0 x 0] -> 1\n");
  text = without(text, "round 0\n  receive shared[0 x 0] <- 0\n");
  EXPECT_THAT(first_violation(text), HasSubstr("no message keeps the order in shared[0]"));
}

TEST(Shared, MayNotBeWrittenBeforeAllHaveRead) {
  std::string text = without(broadcast(), "  receive scratch[0 x 0] <- 1\n");
  text = without(text, "  send scratch[0 x 0] -> 0\n");
  EXPECT_THAT(first_violation(text), HasSubstr("no message keeps the order in shared[0]"));
}

/// A wider window lets the owner write before it has heard.
TEST(Shared, MayNotBeWrittenARoundEarly) {
  std::string text = broadcast();
  text.replace(text.find("window 1"), 8, "window 2");
  EXPECT_THAT(first_violation(text), HasSubstr("no message keeps the order in shared[0]"));
}

TEST(Shared, IsReadOnItsNodeOnly) {
  EXPECT_THAT(first_violation(broadcast("0 1")), HasSubstr("the owner is not on the same node"));
}

TEST(Shared, IsAllThatCanBeReadOfAnother) {
  std::string text = broadcast();
  const std::string read = "shared[0 of 0] of 0 ->";
  text.replace(text.find(read), read.size(), "send[0] of 0 ->");
  EXPECT_THAT(first_violation(text), HasSubstr("of another rank only shared can be read"));
}

TEST(Shared, HasAsManyBlocksAsItSays) {
  std::string text = broadcast();
  text.replace(text.find("shared 1\n"), 9, "");
  EXPECT_THAT(first_violation(text), HasSubstr("outside its buffer of 0 blocks"));
}

}  // namespace
}  // namespace suiro
