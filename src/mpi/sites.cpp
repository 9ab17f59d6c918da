// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/sites.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "rules/message.hpp"

namespace suiro::mpi {

namespace {

constexpr std::string_view private_to_hosts[] = {
    "docker", "br-", "virbr", "vmnet", "lxc", "lxd", "cni", "cali", "flannel", "podman", "veth"};

bool is_private(std::string_view interface) {
  return std::ranges::any_of(private_to_hosts,
                             [&](std::string_view name) { return interface.starts_with(name); });
}

/// The bytes of an address and of its mask; none for other families and link-local addresses.
struct Bytes {
  std::span<const std::byte> address;
  std::span<const std::byte> mask;
};

Bytes network_bytes_of(const ifaddrs& entry) {
  const auto view = [](const auto& field) { return std::as_bytes(std::span(&field, 1)); };
  if (entry.ifa_addr->sa_family == AF_INET) {
    return {view(reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr),
            view(reinterpret_cast<const sockaddr_in*>(entry.ifa_netmask)->sin_addr)};
  }
  if (entry.ifa_addr->sa_family == AF_INET6) {
    const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(&address)) return {};
    return {view(address),
            view(reinterpret_cast<const sockaddr_in6*>(entry.ifa_netmask)->sin6_addr)};
  }
  return {};
}

bool counts(const ifaddrs& entry) {
  constexpr unsigned wanted = IFF_UP | IFF_RUNNING;
  return entry.ifa_addr != nullptr && entry.ifa_netmask != nullptr &&
         (entry.ifa_flags & wanted) == wanted && (entry.ifa_flags & IFF_LOOPBACK) == 0 &&
         !is_private(entry.ifa_name);
}

bool share_one(const Networks& left, const Networks& right) {
  return std::ranges::any_of(left, [&](std::uint64_t network) {
    return network != 0 && std::ranges::find(right, network) != right.end();
  });
}

}  // namespace

/// FNV-1a over the network's bits and its mask.
std::uint64_t network_of(std::span<const std::byte> address, std::span<const std::byte> mask) {
  const auto is_one = [](std::byte byte) { return byte == std::byte{0xff}; };
  if (std::ranges::all_of(mask, is_one)) return 0;
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&](std::byte byte) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  };
  for (std::size_t i = 0; i < address.size(); ++i) {
    mix(address[i] & mask[i]);
    mix(mask[i]);
  }
  return hash;
}

Networks host_networks() {
  Networks networks{};
  std::size_t found = 0;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return networks;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (!counts(*entry)) continue;
    const Bytes bytes = network_bytes_of(*entry);
    const std::uint64_t network = network_of(bytes.address, bytes.mask);
    if (network != 0 && found < networks.size()) networks[found++] = network;
  }
  freeifaddrs(list);
  return networks;
}

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

std::vector<int> sites_of(std::span<const Networks> networks_of_node) {
  const auto nodes = static_cast<int>(networks_of_node.size());
  std::vector<int> sites(networks_of_node.size());
  std::iota(sites.begin(), sites.end(), 0);
  for (int node = 0; node < nodes; ++node) {
    const Networks& mine = networks_of_node[static_cast<std::size_t>(node)];
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
