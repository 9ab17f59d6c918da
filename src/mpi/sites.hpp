// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are at one site, as far as their addresses tell: those that share an IP network, and
// those that share one with them. Between sites every round of a schedule costs a long way there
// and back, so where this cannot be known, more sites are better assumed than fewer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace suiro::mpi {

/// Hashes of the networks that a host is in; 0 is none. Fixed in size, to be exchanged as it is.
using Networks = std::array<std::uint64_t, 8>;

/// The hash of the network of an address and its mask, as bytes of equal number; 0 for a network of
/// one host, as clouds give them to each machine: it tells nothing of the others.
std::uint64_t network_of(std::span<const std::byte> address, std::span<const std::byte> mask);

/// This host's, without those that every host has alike for containers and virtual machines, and
/// without links that are down, loopback and link-local addresses.
Networks host_networks();

/// The site of each node. Nodes without any network are at the first node's site.
std::vector<int> sites_of(std::span<const Networks> networks_of_node);

}  // namespace suiro::mpi
