// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace suiro {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Catalog, IsOrderedAndComplete) {
  EXPECT_TRUE(std::ranges::is_sorted(catalog(), {}, [](const Algorithm& algorithm) {
    return std::pair(algorithm.collective, algorithm.name);
  }));
  for (const Algorithm& algorithm : catalog()) {
    EXPECT_EQ(find_algorithm(algorithm.collective, algorithm.name), &algorithm);
    EXPECT_FALSE(algorithm.summary.empty() || algorithm.source.empty());
    EXPECT_FALSE(algorithm.cost_text.empty());
  }
  EXPECT_EQ(find_algorithm("alltoall", "native"), nullptr);
  EXPECT_EQ(find_algorithm("bcast", "ring"), nullptr);
}

TEST(Catalog, CompleteFillsInFallbacksAndRefusesTheRest) {
  const Algorithm& capped = *find_algorithm("alltoall", "linear_capped");
  EXPECT_EQ(complete(capped, {}), (Parameters{{"cap", 8}}));
  EXPECT_EQ(complete(capped, {{"cap", 3}}), (Parameters{{"cap", 3}}));
  const auto error = [](const Algorithm& algorithm, const Parameters& given, const char* text) {
    EXPECT_THAT([&] { (void)complete(algorithm, given); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(text)));
  };
  error(capped, {{"cap", 0}}, "linear_capped: parameter 'cap' must be from 1 to 1024, not 0");
  error(capped, {{"cup", 1}}, "linear_capped: unknown parameter 'cup'; it takes cap");
  error(*find_algorithm("alltoall", "ring"), {{"cap", 1}}, "it takes none");
}

TEST(Catalog, BuildKeepsThePlacement) {
  const Schedule schedule = build(*find_algorithm("alltoall", "ring"), Topology::round_robin(2, 2));
  EXPECT_THAT(schedule.node_of_rank, testing::ElementsAre(0, 1, 0, 1));
}

}  // namespace
}  // namespace suiro
