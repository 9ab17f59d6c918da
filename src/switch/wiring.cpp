// SPDX-License-Identifier: BSD-3-Clause
#include "switch/wiring.hpp"

#include <limits>

namespace suiro {
namespace {

constexpr int unreachable = std::numeric_limits<int>::max();

Place plug_in(Wiring& wiring, const PortConfig& port) {
  std::vector<PortConfig>& ports = wiring.ports[index(port.at_switch)];
  ports.push_back(port);
  return {port.at_switch, static_cast<int>(ports.size()) - 1};
}

/// Links from each switch to the switch `target`, by breadth-first search.
std::vector<int> distances(const SwitchConfig& config, int target) {
  std::vector<int> result(config.switches.size(), unreachable);
  std::vector<int> reached{target};
  result[index(target)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const LinkConfig& link : config.links) {
      for (const std::size_t end : {0U, 1U}) {
        if (link.ends[end] != reached[i] || result[index(link.ends[1 - end])] != unreachable)
          continue;
        result[index(link.ends[1 - end])] = result[index(reached[i])] + 1;
        reached.push_back(link.ends[1 - end]);
      }
    }
  }
  return result;
}

/// The port by which a switch sends to host port `target`, which is `distance` links away.
int route(const Wiring& wiring, const std::vector<int>& distance, int at_switch, int target) {
  const Place& home = wiring.hosts[index(target)];
  if (home.at_switch == at_switch) return home.port;
  std::vector<int> shortest;
  for (const auto& ends : wiring.links) {
    for (const std::size_t end : {0U, 1U}) {
      const int next = distance[index(ends[1 - end].at_switch)];
      const bool nearer = next != unreachable && next + 1 == distance[index(at_switch)];
      if (ends[end].at_switch == at_switch && nearer) shortest.push_back(ends[end].port);
    }
  }
  return shortest.empty() ? -1 : shortest[index(target) % shortest.size()];
}

}  // namespace

Wiring wire(const SwitchConfig& config) {
  Wiring wiring;
  wiring.ports.resize(config.switches.size());
  for (const PortConfig& port : config.ports) wiring.hosts.push_back(plug_in(wiring, port));
  for (const LinkConfig& link : config.links) {
    std::array<Place, 2> ends;
    for (const std::size_t end : {0U, 1U}) {
      PortConfig port;
      port.rate_bps = link.rate_bps;
      port.at_switch = link.ends[end];
      port.inner = true;
      ends[end] = plug_in(wiring, port);
    }
    wiring.links.push_back(ends);
  }
  wiring.routes.resize(config.switches.size());
  for (std::size_t target = 0; target < wiring.hosts.size(); ++target) {
    const auto distance = distances(config, wiring.hosts[target].at_switch);
    for (std::size_t i = 0; i < config.switches.size(); ++i) {
      wiring.routes[i].push_back(
          route(wiring, distance, static_cast<int>(i), static_cast<int>(target)));
    }
  }
  return wiring;
}

}  // namespace suiro
