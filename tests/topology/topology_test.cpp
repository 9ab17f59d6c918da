// SPDX-License-Identifier: BSD-3-Clause
#include "topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <stdexcept>

namespace suiro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Topology, DefaultIsOneRankOnOneNode) {
  EXPECT_EQ(Topology(), Topology::block(1, 1));
  EXPECT_EQ(Topology().describe(), "1 node x 1 rank");
}

TEST(Topology, BlockPlacesConsecutiveRanksTogether) {
  const Topology topology = Topology::block(3, 2);
  EXPECT_THAT(topology.ranks_of(1), ElementsAre(2, 3));
  EXPECT_EQ(topology.node(5), 2);
  EXPECT_EQ(topology.local(5), 1);
  EXPECT_EQ(topology.rank(2, 1), 5);
  EXPECT_EQ(topology.describe(), "3 nodes x 2 ranks");
}

TEST(Topology, RoundRobinDealsRanksOut) {
  const Topology topology = Topology::round_robin(3, 2);
  EXPECT_THAT(topology.ranks_of(1), ElementsAre(1, 4));
  EXPECT_EQ(topology.local(4), 1);
}

TEST(Topology, LabelsAreRenumberedByFirstAppearance) {
  const int labels[] = {900, -7, 900, 3};
  const int sites[] = {5, 5, 1};
  const int links[] = {1, 2, 4};
  const Topology topology = Topology::from_nodes(labels, sites, links);
  EXPECT_EQ(topology.nodes(), 3);
  EXPECT_THAT(topology.ranks_of(0), ElementsAre(0, 2));
  EXPECT_EQ(topology.sites(), 2);
  EXPECT_EQ(topology.site(2), 1);
  EXPECT_EQ(topology.links(2), 4);
  EXPECT_FALSE(topology.even());
  EXPECT_EQ(topology.max_ppn(), 2);
  EXPECT_EQ(topology.describe(), "3 nodes, 1..2 ranks at 2 sites");
}

TEST(Topology, LinksAreSharedWithTheOtherRanksOfANode) {
  const int column[] = {0, 1, 2};
  const int neighbours[] = {3, 0, 1};
  const Topology topology = Topology::from_nodes(column, {}, {}, neighbours);
  EXPECT_EQ(topology.neighbours(2), 1);
  EXPECT_EQ(topology.sharing(), 4) << "on the first node";
  EXPECT_EQ(Topology::block(4, 4).sharing(), 1);
  EXPECT_NE(topology, Topology::block(3, 1));
}

TEST(Topology, EqualPlacementsAreEqualWhateverTheLabels) {
  const int mine[] = {10, 10, 20, 20};
  EXPECT_EQ(Topology::from_nodes(mine), Topology::block(2, 2));
  const int other[] = {10, 20, 10, 20};
  EXPECT_EQ(Topology::from_nodes(other), Topology::round_robin(2, 2));
}

template <class Call>
void expect_error(Call call, const char* text) {
  EXPECT_THAT(call, ThrowsMessage<std::invalid_argument>(HasSubstr(text)));
}

TEST(Topology, WrongInputIsNamed) {
  const int two_ranks[] = {0, 1};
  const int one_value[] = {1};
  const int no_link[] = {1, 0};
  expect_error([] { (void)Topology::block(0, 2); }, "nodes must be at least 1, not 0");
  expect_error([] { (void)Topology::round_robin(2, -1); }, "per node must be at least 1, not -1");
  expect_error([] { (void)Topology::block(INT_MAX, 2); }, "more ranks than MPI can have");
  expect_error([] { (void)Topology::from_nodes({}); }, "at least one rank");
  expect_error([&] { (void)Topology::from_nodes(two_ranks, one_value); },
               "site_of_node has 1 values for 2 nodes");
  expect_error([&] { (void)Topology::from_nodes(two_ranks, {}, no_link); },
               "node 1 cannot have 0 links");
  expect_error([&] { (void)Topology::from_nodes(two_ranks, {}, {}, one_value); },
               "neighbours_of_node has 1 values for 2 nodes");
}

}  // namespace
}  // namespace suiro
