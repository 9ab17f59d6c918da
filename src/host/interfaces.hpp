// SPDX-License-Identifier: BSD-3-Clause
// What the system says of its network interfaces, and which of them are rails. The choice is apart
// from the asking, so that it is tested with machines that are not at hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/links.hpp"

namespace suiro::host {

/// In the order of preference: bridges and radio are taken if there is nothing ordinary, loopback
/// if there is nothing else, the rest never, unless SUIRO_NETS names it.
enum class InterfaceKind : std::uint8_t {
  ordinary,
  bridge,
  wireless,
  loopback,
  link_local,
  containers,
  tunnel,
  unusable  // down, no cable, or no address; not even if it is named
};

struct Interface {
  Link link;
  InterfaceKind kind = InterfaceKind::ordinary;
  std::string why_unusable;
};

/// By its name: of container engines, virtual machines and overlay networks.
bool is_of_containers(std::string_view interface);

/// One for each IPv4 address, and one for each interface without any.
std::vector<Interface> find_interfaces();

std::vector<Link> choose_links(const std::vector<Interface>& interfaces,
                               const std::vector<std::string>& networks);

}  // namespace suiro::host
