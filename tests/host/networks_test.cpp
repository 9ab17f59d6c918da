// SPDX-License-Identifier: BSD-3-Clause
#include "host/networks.hpp"

#include <gtest/gtest.h>

namespace suiro::host {
namespace {

std::uint64_t network(std::array<unsigned char, 4> address, std::array<unsigned char, 4> mask) {
  return network_of(std::as_bytes(std::span(address)), std::as_bytes(std::span(mask)));
}

TEST(Networks, AreTheirBitsAndTheirMask) {
  EXPECT_EQ(network({10, 1, 2, 3}, {255, 255, 255, 0}), network({10, 1, 2, 9}, {255, 255, 255, 0}));
  EXPECT_NE(network({10, 1, 2, 3}, {255, 255, 255, 0}), network({10, 1, 3, 3}, {255, 255, 255, 0}));
  EXPECT_NE(network({10, 1, 2, 3}, {255, 255, 255, 0}), network({10, 1, 2, 3}, {255, 255, 0, 0}));
}

TEST(Networks, OfOneHostTellNothing) {
  EXPECT_EQ(network({10, 1, 2, 3}, {255, 255, 255, 255}), 0U);
}

TEST(Networks, AreFoundAgain) { EXPECT_EQ(host_networks(), host_networks()); }

}  // namespace
}  // namespace suiro::host
