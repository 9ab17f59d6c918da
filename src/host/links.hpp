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

/// What SUIRO_NETS names: interfaces, or networks a.b.c.d/n; empty if it is not set.
std::vector<std::string> named_networks();

/// Of the links over which a node reaches others. Several are of use together when they are as fast
/// as each other, so the fastest ones count.
struct NodeLinks {
  std::uint32_t megabits = 0;  // of one; 0: not known
  std::int32_t count = 1;
};
NodeLinks fastest_of(const std::vector<Link>& links);

/// Of this host, as SUIRO_NETS wants them; one of which nothing is known if none can be used.
NodeLinks node_links();

}  // namespace suiro::host
