// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/sites.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "base/message.hpp"

namespace suiro::mpi {

namespace {

bool share_one(const host::Networks& left, const host::Networks& right) {
  return std::ranges::any_of(left, [&](std::uint64_t network) {
    return network != 0 && std::ranges::find(right, network) != right.end();
  });
}

}  // namespace

NamedSites parse_sites(std::string_view text) {
  NamedSites sites;
  int site = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++site) {
    const std::size_t site_end = std::min(text.find(';', begin), text.size());
    while (begin <= site_end) {
      const std::size_t end = std::min(text.find(',', begin), site_end);
      const std::string host(text.substr(begin, end - begin));
      if (host.empty() || !sites.emplace(host, site).second) {
        throw std::runtime_error(
            "expected 1, or the hosts of each site, every host once, as a,b;c,d; got \"" +
            printable(host) + "\"" + (host.empty() ? "" : " twice"));
      }
      begin = end + 1;
    }
  }
  return sites;
}

int site_named(const NamedSites& sites, std::string_view host) {
  const auto found = sites.find(host);
  return found != sites.end() ? found->second : -1;
}

std::vector<int> sites_of(std::span<const host::Networks> networks_of_node) {
  const auto nodes = static_cast<int>(networks_of_node.size());
  std::vector<int> sites(networks_of_node.size());
  std::iota(sites.begin(), sites.end(), 0);
  for (int node = 0; node < nodes; ++node) {
    const host::Networks& mine = networks_of_node[static_cast<std::size_t>(node)];
    const bool unknown = std::ranges::all_of(mine, [](auto network) { return network == 0; });
    for (int other = 0; other < node; ++other) {
      const bool together =
          unknown ? other == 0 : share_one(mine, networks_of_node[static_cast<std::size_t>(other)]);
      if (!together) continue;
      const int merged = sites[static_cast<std::size_t>(node)];
      std::ranges::replace(sites, merged, sites[static_cast<std::size_t>(other)]);
    }
  }
  return sites;
}

}  // namespace suiro::mpi
