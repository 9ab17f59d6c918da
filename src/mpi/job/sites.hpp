// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are at one site: as the user, or a file of the cluster, names them; else as far as
// their addresses tell: those that share an IP network, and those that share one with them. Between
// sites every round of a schedule costs a long way there and back, so where this cannot be known,
// more sites are better assumed than fewer.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/networks.hpp"

namespace suiro::mpi {

/// Sites by the names of their hosts.
using NamedSites = std::map<std::string, int, std::less<>>;

/// From "a,b;c": hosts a and b at site 0, c at site 1. Throws std::runtime_error that says what was
/// expected.
NamedSites parse_sites(std::string_view text);

/// The site of a host with a name; -1 if it has none.
int site_named(const NamedSites& sites, std::string_view host);

/// The site of each node. Nodes without any network are at the first node's site.
std::vector<int> sites_of(std::span<const host::Networks> networks_of_node);

}  // namespace suiro::mpi
