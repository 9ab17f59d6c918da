// SPDX-License-Identifier: BSD-3-Clause
// The bound is the busiest node's bytes over its links' rate.
#include <gtest/gtest.h>

#include <array>

#include "collectives/collectives.hpp"

namespace suiro {
namespace {

double seconds(std::string_view collective, const Topology& topology, std::int64_t bytes,
               double link_Bps) {
  return bound_s(*find_collective(collective), topology, bytes, link_Bps);
}

TEST(Bound, CountsTheBytesThatLeaveANode) {
  // Each of 4 ranks sends to 12 ranks elsewhere.
  EXPECT_DOUBLE_EQ(seconds("alltoall", Topology::block(4, 4), 1000, 1e6), 4 * 12 * 1000 / 1e6);
  EXPECT_DOUBLE_EQ(seconds("alltoall", Topology::round_robin(4, 4), 1000, 1e6),
                   4 * 12 * 1000 / 1e6);
}

TEST(Bound, IsZeroWhereNothingCrossesTheNetwork) {
  EXPECT_EQ(seconds("alltoall", Topology::block(1, 8), 1000, 1e6), 0);
  EXPECT_EQ(seconds("alltoall", Topology::block(4, 4), 0, 1e6), 0);
}

TEST(Bound, TakesTheSlowestNode) {
  // Nodes of 1, 4 and 2 ranks: 1*6, 4*3 and 2*5 blocks leave. With three links the second is fast.
  const std::array node_of_rank = {0, 1, 1, 1, 1, 2, 2};
  const std::array links = {1, 3, 1};
  EXPECT_DOUBLE_EQ(seconds("alltoall", Topology::from_nodes(node_of_rank), 1, 1), 12);
  EXPECT_DOUBLE_EQ(seconds("alltoall", Topology::from_nodes(node_of_rank, {}, links), 1, 1), 10);
}

TEST(Bound, ABroadcastEntersEveryNodeOnce) {
  EXPECT_DOUBLE_EQ(seconds("bcast", Topology::block(8, 4), 1000, 1), 1000);
  EXPECT_DOUBLE_EQ(seconds("reduce", Topology::block(8, 4), 1000, 1), 1000);
  EXPECT_EQ(seconds("bcast", Topology::block(1, 4), 1000, 1), 0);
}

TEST(Bound, AnAllreduceCrossesTwiceButForOneShare) {
  EXPECT_DOUBLE_EQ(seconds("allreduce", Topology::block(8, 4), 1000, 1), 2000 * 7 / 8.0);
  EXPECT_DOUBLE_EQ(seconds("allreduce", Topology::block(2, 1), 1000, 1), 1000);
  EXPECT_EQ(seconds("allreduce", Topology::block(1, 4), 1000, 1), 0);
}

TEST(Bound, AnAllgatherBringsEveryNodeTheBlocksOfTheOthers) {
  EXPECT_DOUBLE_EQ(seconds("allgather", Topology::block(8, 4), 1000, 1), 28 * 1000);
  EXPECT_DOUBLE_EQ(seconds("allgatherv", Topology::block(8, 4), 1000, 1), 28 * 1000);
  EXPECT_EQ(seconds("allgather", Topology::block(1, 4), 1000, 1), 0);
  // The node of one rank gets the most, that of four over three links the least.
  const std::array node_of_rank = {0, 1, 1, 1, 1, 2, 2};
  const std::array links = {1, 3, 1};
  EXPECT_DOUBLE_EQ(seconds("allgather", Topology::from_nodes(node_of_rank, {}, links), 1, 1), 6);
}

TEST(Bound, AReduceScatterIsAnAllgatherBackwards) {
  EXPECT_DOUBLE_EQ(seconds("reduce_scatter_block", Topology::block(8, 4), 1000, 1), 28 * 1000);
  // The same in bytes of the whole vector, which is 32 blocks.
  EXPECT_DOUBLE_EQ(seconds("reduce_scatter", Topology::block(8, 4), 32000, 1), 28 * 1000);
}

TEST(Bound, ARootGetsOrGivesTheBlocksOfAllOtherNodes) {
  for (const std::string_view rooted : {"gather", "gatherv", "scatter", "scatterv"}) {
    EXPECT_DOUBLE_EQ(seconds(rooted, Topology::block(8, 4), 1000, 1), 28 * 1000) << rooted;
    EXPECT_EQ(seconds(rooted, Topology::block(1, 4), 1000, 1), 0) << rooted;
    // Any rank may be the root: on the second node it takes least.
    const std::array node_of_rank = {0, 1, 1, 1, 1, 2, 2};
    EXPECT_DOUBLE_EQ(seconds(rooted, Topology::from_nodes(node_of_rank), 1, 1), 3) << rooted;
  }
}

TEST(Bound, AScanPassesEveryNodeOnce) {
  EXPECT_DOUBLE_EQ(seconds("scan", Topology::block(8, 4), 1000, 1), 1000);
  EXPECT_DOUBLE_EQ(seconds("exscan", Topology::block(8, 4), 1000, 1), 1000);
}

TEST(Bound, ABarrierMovesNothing) {
  EXPECT_EQ(seconds("barrier", Topology::block(8, 4), 1000, 1), 0);
}

TEST(Bound, DoesNotOverflow) {
  const double bound_s = seconds("alltoall", Topology::block(64, 64), INT64_MAX, 1);
  EXPECT_NEAR(bound_s / (64.0 * 63 * 64 * 9223372036854775807.0), 1, 1e-12);
}

}  // namespace
}  // namespace suiro
