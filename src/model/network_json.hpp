// SPDX-License-Identifier: BSD-3-Clause
// A network as a JSON document: {"kind": "hol", "link_Bps": 11.7e6, ...}, names as in Network.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "model/network.hpp"

namespace suiro {

/// A network, what of it was told, and where nodes are (empty: at one site).
struct NetworkFile {
  Network network = {};
  bool tells_kind = false;
  bool tells_rate = false;  // of links
  bool tells_wan = false;   // its rate
  double start_s = 0;  // of a message, as who cuts messages knows it; 0: what the parts come to
  std::vector<int> site_of_node = {};
};

/// What is not named is as in `untold`. Throws std::runtime_error "NAME: what was expected".
NetworkFile parse_network(std::string_view text, std::string_view name, const Network& untold = {});

/// All that is a number, by the names of such a file.
std::map<std::string_view, double> numbers_of(const Network& network);

}  // namespace suiro
