// SPDX-License-Identifier: BSD-3-Clause
#include "host/links.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/variables.hpp"
#include "host/interfaces.hpp"

namespace suiro::host {
namespace {

std::string text_of(std::uint32_t address) {
  const std::uint32_t number = ntohl(address);
  return fmt::format("{}.{}.{}.{}", number >> 24, number >> 16 & 255, number >> 8 & 255,
                     number & 255);
}

std::string_view reason(const Interface& interface) {
  switch (interface.kind) {
    case InterfaceKind::ordinary:
      return "";
    case InterfaceKind::bridge:
      return "a bridge";
    case InterfaceKind::wireless:
      return "wireless";
    case InterfaceKind::loopback:
      return "loopback";
    case InterfaceKind::link_local:
      return "a link-local address";
    case InterfaceKind::containers:
      return "of containers or virtual machines";
    case InterfaceKind::tunnel:
      return "a tunnel";
    case InterfaceKind::unusable:
      return interface.why_unusable;
  }
  return "";
}

std::string describe(const Interface& interface) {
  const Link& link = interface.link;
  std::string text = link.interface;
  if (link.address != 0) text += fmt::format(" {}/{}", text_of(link.address), link.prefix);
  if (const std::string_view why = reason(interface); !why.empty()) {
    text += fmt::format(" ({})", why);
  }
  return text;
}

std::string describe(const std::vector<Interface>& interfaces) {
  std::vector<std::string> texts;
  texts.reserve(interfaces.size());
  for (const Interface& interface : interfaces) texts.push_back(describe(interface));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

/// What an item of SUIRO_NETS asks for: an interface, or a network.
struct Wish {
  std::string interface;
  std::uint32_t address = 0;
  std::uint8_t prefix = 0;

  bool fits(const Link& link) const {
    return interface.empty() ? same_network(address, link.address, prefix)
                             : interface == link.interface;
  }
};

Wish read_wish(std::string_view item) {
  const auto begin = std::min(item.find_first_not_of(" \t"), item.size());
  item = item.substr(begin, item.find_last_not_of(" \t") + 1 - begin);
  const std::string_view host = item.substr(0, item.find('/'));
  in_addr address{};
  const bool network = inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
  if (network && host.size() == item.size()) return {"", address.s_addr, 32};
  if (!network && host.size() == item.size() && !item.empty()) return {std::string(item), 0, 0};
  const std::string_view bits = item.substr(std::min(host.size() + 1, item.size()));
  std::uint8_t prefix = 0;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), prefix);
  if (!network || error != std::errc() || end != bits.data() + bits.size() || prefix > 32) {
    throw std::runtime_error(
        fmt::format("SUIRO_NETS: '{}' is neither an interface nor a network a.b.c.d/n", item));
  }
  return {"", address.s_addr, prefix};
}

bool faster(const Interface& one, const Interface& other) {
  if (one.link.megabits != other.link.megabits) return one.link.megabits > other.link.megabits;
  return ntohl(one.link.address) < ntohl(other.link.address);
}

/// Two addresses of an interface are one link. So are two interfaces on one network, since the
/// system sends to all of a network through one of them, unless somebody who knows names both.
void take(std::vector<Link>& links, const Link& link, bool named = false) {
  const bool known = std::ranges::any_of(links, [&](const Link& other) {
    const std::uint8_t prefix = std::min(other.prefix, link.prefix);
    return other.interface == link.interface ||
           (!named && same_network(other.address, link.address, prefix));
  });
  if (!known && links.size() < max_links) links.push_back(link);
}

/// Without a wish: all of the best kind that there is.
std::vector<Link> choose_best(const std::vector<Interface>& interfaces) {
  std::vector<Link> links;
  for (const auto kind : {InterfaceKind::ordinary, InterfaceKind::bridge, InterfaceKind::wireless,
                          InterfaceKind::loopback}) {
    for (const Interface& interface : interfaces) {
      if (interface.kind == kind) take(links, interface.link);
    }
    if (!links.empty()) break;
  }
  return links;
}

/// What is named is taken whatever its kind, and wishes that nothing fits are passed over: nodes
/// may differ, and share the variable.
std::vector<Link> choose_wished(const std::vector<Interface>& interfaces,
                                const std::vector<std::string>& networks) {
  std::vector<Link> links;
  for (const std::string& item : networks) {
    const Wish wish = read_wish(item);
    for (const Interface& interface : interfaces) {
      const bool usable = interface.kind != InterfaceKind::unusable;
      if (!usable || !wish.fits(interface.link)) continue;
      take(links, interface.link, !wish.interface.empty());
    }
  }
  return links;
}

}  // namespace

bool same_network(std::uint32_t one, std::uint32_t other, std::uint8_t prefix) {
  return prefix == 0 || (ntohl(one) ^ ntohl(other)) >> (32 - prefix) == 0;
}

std::string dotted(std::uint32_t address) {
  char text[INET_ADDRSTRLEN];
  const in_addr value{address};
  return inet_ntop(AF_INET, &value, text, sizeof text);
}

std::vector<Link> choose_links(const std::vector<Interface>& interfaces,
                               const std::vector<std::string>& networks) {
  std::vector<Interface> sorted = interfaces;
  std::ranges::stable_sort(sorted, faster);
  auto links = networks.empty() ? choose_best(sorted) : choose_wished(sorted, networks);
  if (!links.empty()) return links;
  if (networks.empty()) {
    throw std::runtime_error(fmt::format(
        "no network interface can be used: {}; SUIRO_NETS=NAME takes one", describe(interfaces)));
  }
  throw std::runtime_error(
      fmt::format("SUIRO_NETS={} fits no interface that can be used; there are: {}",
                  fmt::join(networks, ","), describe(interfaces)));
}

std::vector<Link> usable_links(const std::vector<std::string>& networks) {
  return choose_links(find_interfaces(), networks);
}

std::vector<std::string> named_networks() {
  std::vector<std::string> networks;
  std::istringstream list(text_of(variables::nets));
  for (std::string network; std::getline(list, network, ',');) networks.push_back(network);
  return networks;
}

NodeLinks fastest_of(const std::vector<Link>& links) {
  if (links.empty()) return {};
  const std::uint32_t fastest = std::ranges::max(links, {}, &Link::megabits).megabits;
  const auto count = std::ranges::count(links, fastest, &Link::megabits);
  return {.megabits = fastest, .count = static_cast<std::int32_t>(count)};
}

NodeLinks node_links() try {
  return fastest_of(usable_links(named_networks()));
} catch (const std::runtime_error&) {
  return {};
}

}  // namespace suiro::host
