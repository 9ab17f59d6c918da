// SPDX-License-Identifier: BSD-3-Clause
// A forced algorithm is one rule for every shape and size; a mistake names the value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_message.hpp"
#include "rules/rules.hpp"

namespace suiro {
namespace {

std::string error(std::string_view value) {
  return error_message([&] { RuleTable::forced("alltoall", value); });
}

TEST(Forced, TakesANameAndParameters) {
  const RuleTable table = RuleTable::forced("alltoall", "linear_capped:cap=4");
  const Topology topology = Topology::block(2, 2);
  const Decision decision = table.decide({"alltoall", topology, 8}).value();
  EXPECT_EQ(decision.algorithm, "linear_capped");
  EXPECT_EQ(decision.parameters, (Parameters{{"cap", 4}}));
  EXPECT_EQ(decision.reason, "forced: linear_capped:cap=4");
  EXPECT_TRUE(table.thresholds("alltoall", topology).empty());
}

TEST(Forced, TakesNativeAndAVCollective) {
  const Topology topology = Topology::block(2, 2);
  const RuleTable native = RuleTable::forced("alltoall", "native");
  EXPECT_EQ(native.decide({"alltoall", topology, 8})->reason, "forced: native");
  const RuleTable ring = RuleTable::forced("alltoallv", "ring");
  EXPECT_EQ(ring.decide({"alltoallv", topology, std::nullopt})->algorithm, "ring");
}

TEST(Forced, ForcesNothingWithAuto) {
  EXPECT_TRUE(RuleTable::forced("alltoall", "auto").rules().empty());
}

TEST(Forced, NamesTheMistake) {
  EXPECT_THAT(error("two_levl_ring"),
              testing::StartsWith("algorithm \"two_levl_ring\": unknown algorithm "
                                  "\"two_levl_ring\" for alltoall; did you mean"));
  EXPECT_THAT(error(""), testing::HasSubstr("unknown algorithm \"\""));
  EXPECT_THAT(error("linear_capped:cap=0"), testing::HasSubstr("is 1 to 1024, not 0"));
  EXPECT_THAT(error("linear_capped:cap=4,cap=5"), testing::HasSubstr("given twice"));
  EXPECT_THAT(error("native:cap=4"), testing::HasSubstr("native takes no parameters"));
  EXPECT_THAT(error("ring\nx"), testing::StartsWith("algorithm \"ring?x\""));
}

TEST(Forced, InsistsOnTheFormOfParameters) {
  for (const char* parameters : {"", "cap", "cap=", "=4", "cap=4x", "cap= 4", "cap=4,,",
                                 "cap=99999999999999999999", "cap=4:cap=5"}) {
    EXPECT_THAT(error("linear_capped:" + std::string(parameters)),
                testing::HasSubstr("expected NAME:PARAMETER=NUMBER"))
        << parameters;
  }
}

}  // namespace
}  // namespace suiro
