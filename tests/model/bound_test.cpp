// SPDX-License-Identifier: BSD-3-Clause
// The bound is the busiest node's bytes over its links' rate.
#include "model/bound.hpp"

#include <gtest/gtest.h>

#include <array>

namespace suiro {
namespace {

TEST(Bound, CountsTheBytesThatLeaveANode) {
  // Each of 4 ranks sends to 12 ranks elsewhere.
  EXPECT_DOUBLE_EQ(alltoall_bound_s(Topology::block(4, 4), 1000, 1e6), 4 * 12 * 1000 / 1e6);
  EXPECT_DOUBLE_EQ(alltoall_bound_s(Topology::round_robin(4, 4), 1000, 1e6), 4 * 12 * 1000 / 1e6);
}

TEST(Bound, IsZeroWhereNothingCrossesTheNetwork) {
  EXPECT_EQ(alltoall_bound_s(Topology::block(1, 8), 1000, 1e6), 0);
  EXPECT_EQ(alltoall_bound_s(Topology::block(4, 4), 0, 1e6), 0);
}

TEST(Bound, TakesTheSlowestNode) {
  // Nodes of 1, 4 and 2 ranks: 1*6, 4*3 and 2*5 blocks leave. With three links the second is fast.
  const std::array node_of_rank = {0, 1, 1, 1, 1, 2, 2};
  const std::array links = {1, 3, 1};
  EXPECT_DOUBLE_EQ(alltoall_bound_s(Topology::from_nodes(node_of_rank), 1, 1), 12);
  EXPECT_DOUBLE_EQ(alltoall_bound_s(Topology::from_nodes(node_of_rank, {}, links), 1, 1), 10);
}

TEST(Bound, DoesNotOverflow) {
  const double bound_s = alltoall_bound_s(Topology::block(64, 64), INT64_MAX, 1);
  EXPECT_NEAR(bound_s / (64.0 * 63 * 64 * 9223372036854775807.0), 1, 1e-12);
}

}  // namespace
}  // namespace suiro
