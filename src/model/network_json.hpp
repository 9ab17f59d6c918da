// SPDX-License-Identifier: BSD-3-Clause
// A network as a JSON document: {"kind": "hol", "link_Bps": 11.7e6, ...}, names as in Network.
#pragma once

#include <string_view>
#include <vector>

#include "model/network.hpp"

namespace suiro {

/// A network, and where nodes are (empty: at one site).
struct NetworkFile {
  Network network;
  std::vector<int> site_of_node;
};

/// What is not named keeps its default. Throws std::runtime_error "NAME: what was expected".
NetworkFile parse_network(std::string_view text, std::string_view name);

}  // namespace suiro
