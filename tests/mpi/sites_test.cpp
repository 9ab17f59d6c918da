// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/sites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace suiro::mpi {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Sites, NodesThatShareANetworkAreTogether) {
  const std::vector<host::Networks> networks = {{1}, {2}, {3, 1}, {2}};
  EXPECT_THAT(sites_of(networks), ElementsAre(0, 1, 0, 1));
}

TEST(Sites, SharingGoesOnFromNodeToNode) {
  const std::vector<host::Networks> networks = {{1}, {2}, {3}, {1, 2}};
  const std::vector<int> sites = sites_of(networks);
  EXPECT_EQ(sites[0], sites[1]);
  EXPECT_EQ(sites[0], sites[3]);
  EXPECT_NE(sites[0], sites[2]);
}

TEST(Sites, NodesWithoutNetworksAreWithTheFirst) {
  const std::vector<host::Networks> networks = {{}, {}, {}};
  EXPECT_THAT(sites_of(networks), Each(0));
}

/// Each shares a network with the next one only. It took hours when each was held against all.
TEST(Sites, AHundredThousandNodesAreNotComparedWithEachOther) {
  constexpr std::uint64_t nodes = 100'000;
  std::vector<host::Networks> networks(nodes);
  for (std::uint64_t node = 0; node < nodes; ++node) networks[node] = {node + 1, node + 2};
  networks.back() = {nodes + 5};
  const std::vector<int> sites = sites_of(networks);
  EXPECT_EQ(std::ranges::count(sites, 0), nodes - 1);
  EXPECT_EQ(sites.back(), nodes - 1);
}

TEST(Sites, HostsHaveTheSitesThatNameThem) {
  const NamedSites sites = parse_sites("a,b.example.org;c");
  EXPECT_EQ(site_named(sites, "a"), 0);
  EXPECT_EQ(site_named(sites, "b.example.org"), 0);
  EXPECT_EQ(site_named(sites, "c"), 1);
  EXPECT_EQ(site_named(sites, "b"), -1);
  EXPECT_EQ(site_named({}, "a"), -1);
}

TEST(Sites, WhatNamesNoHostsIsWrong) {
  for (const char* text : {"", ";", "a;", "a,,b", ",a", "a;b,a"}) {
    EXPECT_THROW(parse_sites(text), std::runtime_error) << text;
  }
}

}  // namespace
}  // namespace suiro::mpi
