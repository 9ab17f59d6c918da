// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are at one site: as the user, or a file of the cluster, names them; else as far as
// their addresses tell: those that share an IP network, and those that share one with them. Between
// sites every round of a schedule costs a long way there and back, so where this cannot be known,
// more sites are better assumed than fewer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
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

/// Sites by the names of their hosts.
using NamedSites = std::map<std::string, int, std::less<>>;

/// From "a,b;c": hosts a and b at site 0, c at site 1. Throws std::runtime_error that says what was
/// expected.
NamedSites parse_sites(std::string_view text);

/// The site of a host with a name; -1 if it has none.
int site_named(const NamedSites& sites, std::string_view host);

/// The site of each node. Nodes without any network are at the first node's site.
std::vector<int> sites_of(std::span<const Networks> networks_of_node);

}  // namespace suiro::mpi
