// SPDX-License-Identifier: BSD-3-Clause
// The facts come from sockets, not from /sys: that shows the interfaces of whichever network
// namespace it was mounted in.
#include "host/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/wireless.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>

namespace suiro::host {
namespace {

/// Names that container engines, virtual machines and overlay networks give.
constexpr std::string_view container_prefixes[] = {
    "br-", "cali",    "cilium", "cni",     "docker", "flannel", "kube",  "lxc",
    "lxd", "nerdctl", "podman", "vboxnet", "virbr",  "vmnet",   "vxlan", "weave"};
constexpr std::string_view tunnel_prefixes[] = {"ppp", "tailscale", "tap", "tun", "wg", "zt"};

template <std::size_t count>
bool begins_with_one(std::string_view name, const std::string_view (&prefixes)[count]) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

/// Asks the drivers; holds the socket that such questions need.
class Asker {
 public:
  Asker() : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~Asker() {
    if (socket_ >= 0) close(socket_);
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  std::string driver(const std::string& interface) const {
    ethtool_drvinfo information{};
    information.cmd = ETHTOOL_GDRVINFO;
    return ask(interface, information) ? information.driver : "";
  }

  /// 0 if the driver does not know. A TAP device says 10, unless it was told another rate.
  std::uint32_t megabits(const std::string& interface, std::string_view driver) const {
    ethtool_cmd settings{};
    settings.cmd = ETHTOOL_GSET;
    if (!ask(interface, settings)) return 0;
    const std::uint32_t speed = ethtool_cmd_speed(&settings);
    const bool untold = driver == "tun" && speed == SPEED_10;
    return untold || speed == static_cast<std::uint32_t>(SPEED_UNKNOWN) ? 0 : speed;
  }

  bool wireless(const std::string& interface) const {
    iwreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    return ioctl(socket_, SIOCGIWNAME, &request) == 0;
  }

 private:
  template <typename Command>
  bool ask(const std::string& interface, Command& command) const {
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_data = reinterpret_cast<char*>(&command);
    return ioctl(socket_, SIOCETHTOOL, &request) == 0;
  }

  int socket_;
};

using Addresses = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

Addresses all_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) first = nullptr;
  return {first, freeifaddrs};
}

std::uint32_t ipv4(const sockaddr* address) {
  sockaddr_in internet{};
  if (address != nullptr) std::memcpy(&internet, address, sizeof internet);
  return internet.sin_addr.s_addr;
}

/// Labels of further addresses (eth0:1) name the same interface.
std::string interface_of(const ifaddrs& entry) {
  const std::string_view label = entry.ifa_name;
  return std::string(label.substr(0, label.find(':')));
}

bool is_of(const ifaddrs& entry, int family) {
  return entry.ifa_addr != nullptr && entry.ifa_addr->sa_family == family;
}

/// Ethernet and what behaves like it; layer-3 tunnels have types of their own.
bool has_links(const ifaddrs& first, const std::string& interface) {
  for (const ifaddrs* entry = &first; entry != nullptr; entry = entry->ifa_next) {
    if (!is_of(*entry, AF_PACKET) || entry->ifa_name != interface) continue;
    const auto* link = reinterpret_cast<const sockaddr_ll*>(entry->ifa_addr);
    return link->sll_hatype == ARPHRD_ETHER || link->sll_hatype == ARPHRD_INFINIBAND;
  }
  return true;
}

InterfaceKind kind_of(const Interface& interface, const ifaddrs& entry, const ifaddrs& first,
                      std::string_view driver, const Asker& asker) {
  const std::string& name = interface.link.interface;
  if ((entry.ifa_flags & IFF_LOOPBACK) != 0) return InterfaceKind::loopback;
  if ((entry.ifa_flags & IFF_POINTOPOINT) != 0 || !has_links(first, name) ||
      begins_with_one(name, tunnel_prefixes))
    return InterfaceKind::tunnel;
  if (is_of_containers(name)) return InterfaceKind::containers;
  if (ntohl(interface.link.address) >> 16 == 0xa9fe) return InterfaceKind::link_local;
  if (driver == "bridge" || driver == "openvswitch") return InterfaceKind::bridge;
  return asker.wireless(name) ? InterfaceKind::wireless : InterfaceKind::ordinary;
}

Interface with_address(const ifaddrs& entry, const ifaddrs& first, const Asker& asker) {
  Interface found;
  found.link.interface = interface_of(entry);
  found.link.address = ipv4(entry.ifa_addr);
  found.link.prefix = static_cast<std::uint8_t>(std::popcount(ipv4(entry.ifa_netmask)));
  if ((entry.ifa_flags & IFF_UP) == 0) {
    found.kind = InterfaceKind::unusable;
    found.why_unusable = "down";
  } else if ((entry.ifa_flags & IFF_RUNNING) == 0) {
    found.kind = InterfaceKind::unusable;
    found.why_unusable = "no cable";
  } else {
    const std::string driver = asker.driver(found.link.interface);
    found.link.megabits = asker.megabits(found.link.interface, driver);
    found.kind = kind_of(found, entry, first, driver, asker);
  }
  return found;
}

bool without_address(const ifaddrs& entry, const std::vector<Interface>& found) {
  return is_of(entry, AF_PACKET) && std::ranges::none_of(found, [&](const auto& other) {
           return other.link.interface == entry.ifa_name;
         });
}

}  // namespace

bool is_of_containers(std::string_view interface) {
  return begins_with_one(interface, container_prefixes);
}

std::vector<Interface> find_interfaces() {
  const Addresses addresses = all_addresses();
  const Asker asker;
  std::vector<Interface> found;
  for (const ifaddrs* entry = addresses.get(); entry != nullptr; entry = entry->ifa_next) {
    if (is_of(*entry, AF_INET)) found.push_back(with_address(*entry, *addresses, asker));
  }
  for (const ifaddrs* entry = addresses.get(); entry != nullptr; entry = entry->ifa_next) {
    if (!without_address(*entry, found)) continue;
    Interface& bare = found.emplace_back();
    bare.link.interface = entry->ifa_name;
    bare.kind = InterfaceKind::unusable;
    bare.why_unusable = (entry->ifa_flags & IFF_UP) != 0 ? "no IPv4 address" : "down";
  }
  return found;
}

}  // namespace suiro::host
