// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/sites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace suiro::mpi {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Sites, NodesThatShareANetworkAreTogether) {
  const std::vector<Networks> networks = {{1}, {2}, {3, 1}, {2}};
  EXPECT_THAT(sites_of(networks), ElementsAre(0, 1, 0, 1));
}

TEST(Sites, SharingGoesOnFromNodeToNode) {
  const std::vector<Networks> networks = {{1}, {2}, {3}, {1, 2}};
  const std::vector<int> sites = sites_of(networks);
  EXPECT_EQ(sites[0], sites[1]);
  EXPECT_EQ(sites[0], sites[3]);
  EXPECT_NE(sites[0], sites[2]);
}

TEST(Sites, NodesWithoutNetworksAreWithTheFirst) {
  const std::vector<Networks> networks = {{}, {}, {}};
  EXPECT_THAT(sites_of(networks), Each(0));
}

TEST(Sites, AHostFindsTheSameNetworksAgain) { EXPECT_EQ(host_networks(), host_networks()); }

}  // namespace
}  // namespace suiro::mpi
