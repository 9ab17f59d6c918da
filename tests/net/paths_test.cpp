// SPDX-License-Identifier: BSD-3-Clause
// Which rails of two processes belong together.
#include "net/links/paths.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>

namespace suiro::net {
namespace {

using testing::ElementsAre;

std::uint32_t address(const char* text) { return inet_addr(text); }

Name peer_at(const std::vector<const char*>& addresses) {
  Name name;
  for (const char* text : addresses) name.addresses[name.rails++] = address(text);
  return name;
}

TEST(MatchingRails, AreOnTheSameNetwork) {
  const std::vector<host::Link> own = {{"eth0", address("10.0.0.1"), 24, 0},
                                       {"eth1", address("10.0.1.1"), 24, 0}};
  EXPECT_THAT(matching_rails(own, peer_at({"10.0.1.2", "10.0.0.2"})), ElementsAre(1, 0));
  EXPECT_THAT(matching_rails(own, peer_at({"10.0.1.2", "10.0.7.2"})), ElementsAre(-1, 0));
  EXPECT_THAT(matching_rails(own, peer_at({"10.1.0.2"})), ElementsAre(0, -1)) << "routed";
  EXPECT_THAT(matching_rails(own, peer_at({})), ElementsAre(-1, -1));
}

TEST(MatchingRails, AreSpreadOverOneNetwork) {
  const std::vector<host::Link> own = {{"eth0", address("10.0.0.1"), 24, 0},
                                       {"eth1", address("10.0.0.2"), 24, 0}};
  EXPECT_THAT(matching_rails(own, peer_at({"10.0.0.3", "10.0.0.4"})), ElementsAre(0, 1));
  EXPECT_THAT(matching_rails(own, peer_at({"10.0.0.3"})), ElementsAre(0, 0));
}

/// Of which one end has one card alone, neither end may think that there is another way.
TEST(Paths, HaveSparesAtBothEndsOrAtNone) {
  const std::vector<host::Link> two = {{"eth0", address("10.0.0.1"), 24, 0},
                                       {"eth1", address("10.0.0.2"), 24, 0}};
  const std::vector<host::Link> one = {{"eth0", address("10.0.0.3"), 24, 0}};
  Name has_two = peer_at({"10.0.0.1", "10.0.0.2"});
  Name has_one = peer_at({"10.0.0.3"});
  has_two.host = 1;
  has_one.host = 2;
  EXPECT_FALSE(paths_to(two, has_two, has_one).have_spares());
  EXPECT_FALSE(paths_to(one, has_one, has_two).have_spares());
  Name others = peer_at({"10.0.0.4", "10.0.0.5"});
  others.host = 3;
  EXPECT_TRUE(paths_to(two, has_two, others).have_spares());
}

}  // namespace
}  // namespace suiro::net
