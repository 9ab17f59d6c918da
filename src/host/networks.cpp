// SPDX-License-Identifier: BSD-3-Clause
#include "host/networks.hpp"

#include <ifaddrs.h>
#include <linux/if.h>
#include <netinet/in.h>

#include <algorithm>

#include "base/hash.hpp"
#include "host/interfaces.hpp"

namespace suiro::host {
namespace {

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
         !is_of_containers(entry.ifa_name);
}

}  // namespace

/// Of the network's bits and its mask.
std::uint64_t network_of(std::span<const std::byte> address, std::span<const std::byte> mask) {
  const auto is_one = [](std::byte byte) { return byte == std::byte{0xff}; };
  if (std::ranges::all_of(mask, is_one)) return 0;
  std::uint64_t hash = hash_begin;
  const auto mix = [&](std::byte byte) {
    hash = hash_with(hash, std::to_integer<std::uint8_t>(byte));
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

}  // namespace suiro::host
