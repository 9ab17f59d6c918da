// SPDX-License-Identifier: BSD-3-Clause
// Which interfaces are rails. Of those that are up and have an IPv4 address: no point-to-point,
// container or VPN interfaces, no link-local addresses; one per network. If none is left, bridges;
// then radio; then loopback (a job on one machine). SUIRO_NETS names them instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace suiro::host {

/// Of a host, that are used.
constexpr int max_links = 8;

struct Link {
  std::string interface;
  std::uint32_t address = 0;   // IPv4, network byte order
  std::uint8_t prefix = 0;     // of the network, in bits
  std::uint32_t megabits = 0;  // nominal rate; 0: not known
};

/// An IPv4 address in network byte order, as people write it.
std::string dotted(std::uint32_t address);

/// Whether both are in the same network, of which that many bits are given.
bool same_network(std::uint32_t one, std::uint32_t other, std::uint8_t prefix);

/// At most max_links, in the order of SUIRO_NETS, else fastest first, then by address. Throws
/// std::runtime_error that names what was asked for and lists what there is, with why each was not
/// taken.
std::vector<Link> usable_links(const std::vector<std::string>& networks);

}  // namespace suiro::host
