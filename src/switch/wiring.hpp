// SPDX-License-Identifier: BSD-3-Clause
// Which cable goes where, and by which way frames reach each host. Routes are static: the shortest,
// and where k links are equally short, the one with number d mod k for host port d. So frames of
// one source to one target never overtake each other, and the targets are spread evenly over the
// links.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "switch/config.hpp"

namespace suiro {

/// Of a port, a switch or a link, in a vector of them.
inline std::size_t index(int number) { return static_cast<std::size_t>(number); }

/// A port of a switch, in the switch's own numbers.
struct Place {
  int at_switch = 0;
  int port = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

/// A switch's own ports are those of its hosts, in the order of the configuration, then those of
/// its links, in the same order.
struct Wiring {
  std::vector<std::vector<PortConfig>> ports;  // by switch
  std::vector<Place> hosts;                    // by port of the configuration
  std::vector<std::array<Place, 2>> links;     // both ends, by link of the configuration
  std::vector<Routes> routes;                  // by switch; -1 where no way leads to the target
};

Wiring wire(const SwitchConfig& config);

}  // namespace suiro
