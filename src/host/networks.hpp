// SPDX-License-Identifier: BSD-3-Clause
// Which IP networks a host is in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace suiro::host {

/// Hashes of the networks that a host is in; 0 is none. Fixed in size, to be exchanged as it is.
using Networks = std::array<std::uint64_t, 8>;

/// The hash of the network of an address and its mask, as bytes of equal number; 0 for a network of
/// one host, as clouds give them to each machine: it tells nothing of the others.
std::uint64_t network_of(std::span<const std::byte> address, std::span<const std::byte> mask);

/// This host's, without those that every host has alike for containers and virtual machines, and
/// without links that are down, loopback and link-local addresses.
Networks host_networks();

}  // namespace suiro::host
