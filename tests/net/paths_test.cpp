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

}  // namespace
}  // namespace suiro::net
