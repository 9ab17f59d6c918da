// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/link_rate.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "host/links.hpp"

namespace suiro::mpi {

namespace {

/// What the interface negotiated or was told. No cluster has 10 Mbit/s, but a TAP device of which
/// nobody said anything reports that.
std::uint32_t reported_megabits(const std::string& interface) {
  constexpr long unlikely = 10;
  std::ifstream file("/sys/class/net/" + interface + "/speed");
  long megabits = 0;
  return file >> megabits && megabits > unlikely ? static_cast<std::uint32_t>(megabits) : 0;
}

}  // namespace

NodeLinks find_node_links() {
  NodeLinks links;
  std::vector<std::uint32_t> rates;
  try {
    for (const host::Link& link : host::usable_links({})) {
      rates.push_back(reported_megabits(link.interface));
    }
  } catch (const std::exception&) {
    return links;  // no link that we know of
  }
  links.megabits = std::ranges::max(rates);
  links.count = static_cast<std::int32_t>(std::ranges::count(rates, links.megabits));
  return links;
}

}  // namespace suiro::mpi
